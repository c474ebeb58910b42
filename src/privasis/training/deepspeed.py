"""The configuration of DeepSpeed for a preset that names a ZeRO stage (Appendix C)."""

from __future__ import annotations

from typing import Any

from privasis.training.presets import Schedule


def deepspeed_config(schedule: Schedule) -> dict[str, Any]:
    """Return a schedule as DeepSpeed's configuration: ZeRO, AdamW, WarmupDecayLR, bf16.

    The whole batch is left out: it follows from the number of devices that are really there.
    """
    rate = schedule.optimizer.learning_rate
    return {
        "train_micro_batch_size_per_gpu": schedule.micro_batch,
        "gradient_accumulation_steps": schedule.accumulation,
        "gradient_clipping": 1.0,
        "bf16": {"enabled": schedule.precision == "bf16"},
        "zero_optimization": {
            "stage": schedule.zero_stage,
            "overlap_comm": True,
            "contiguous_gradients": True,
            # Of stage 3 each device holds a part: saved models are put together
            **({"stage3_gather_16bit_weights_on_model_save": True} if schedule.zero_stage == 3 else {}),
        },
        "optimizer": {
            "type": "AdamW",
            "params": {"lr": rate, "weight_decay": schedule.optimizer.weight_decay},
        },
        "scheduler": {
            "type": "WarmupDecayLR",
            "params": {
                "total_num_steps": schedule.steps,
                "warmup_min_lr": 0.0,
                "warmup_max_lr": rate,
                "warmup_num_steps": schedule.optimizer.warmup_steps,
                "warmup_type": "linear",
            },
        },
    }
