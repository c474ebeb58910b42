"""What the presets give to DeepSpeed and accelerate is read by the versions that are installed."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import pytest

from privasis.training.deepspeed import deepspeed_config
from privasis.training.presets import as_preset, load_preset, preset_names

PARSE = """
import json, sys, torch
from accelerate.utils import DeepSpeedPlugin
from deepspeed.runtime.config import DeepSpeedConfig
from deepspeed.runtime.lr_schedules import WarmupDecayLR
for name, content in json.loads(sys.argv[1]).items():
    DeepSpeedPlugin(hf_ds_config=json.loads(json.dumps(content)))
    read = DeepSpeedConfig(content)
    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))], **read.optimizer_params)
    schedule = WarmupDecayLR(optimizer, **read.scheduler_params)
    print("read", json.dumps([name, read.zero_config.stage, read.optimizer_name, read.scheduler_name,
                              read.bfloat16_config.enabled, read.train_batch_size]))
"""
STAGED = {
    name: preset for name in preset_names() if (preset := as_preset(name, load_preset(name))).zero_stage
}


def test_a_config_holds_the_numbers_of_its_preset() -> None:
    assert {preset.zero_stage for preset in STAGED.values()} <= {2, 3}
    for preset in STAGED.values():
        config = deepspeed_config(preset)
        assert config["zero_optimization"]["stage"] == preset.zero_stage
        assert config["optimizer"]["params"]["lr"] == preset.optimizer.learning_rate
        assert config["scheduler"]["params"]["total_num_steps"] == preset.steps
        batch = config["train_micro_batch_size_per_gpu"] * config["gradient_accumulation_steps"]
        assert batch * preset.gpus == preset.global_batch


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("deepspeed"), reason="needs the extra deepspeed")
def test_deepspeed_and_accelerate_read_every_config() -> None:
    configs = {name: deepspeed_config(preset) for name, preset in STAGED.items()}
    command = [sys.executable, "-W", "ignore", "-c", PARSE, json.dumps(configs)]
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "WORLD_SIZE": "1"})
    assert run.returncode == 0, run.stderr
    lines = [
        json.loads(line.removeprefix("read ")) for line in run.stdout.splitlines() if line.startswith("read")
    ]
    assert {line[0] for line in lines} == set(STAGED)
    for name, stage, optimizer, scheduler, half, batch in lines:
        preset = STAGED[name]
        assert (stage, optimizer, scheduler) == (preset.zero_stage, "adamw", "WarmupDecayLR")
        assert half == (preset.precision == "bf16")
        assert batch == preset.micro_batch * preset.accumulation  # on one device
