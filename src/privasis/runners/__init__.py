"""What runs the work: in this process, or elsewhere. A runner knows no pipeline."""
