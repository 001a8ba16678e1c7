"""The command ``kgb train``: what a configuration says is trained in a folder."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from ..config import read_configuration
from ..progress import MatchProgress
from ..report import write_files
from .evaluate import say
from .settings import BEST, CURVES, Training, with_settings
from .train import Trainer

SECONDS_BETWEEN_LINES = 30.0


def training_of(what: str, settings: Sequence[str]) -> Training:
    """Return the training that a configuration describes, with some fields changed.

    Args:
        what: the name of a configuration that we ship, or a path.
        settings: texts such as ``ppo.n_steps=256``.

    Raises:
        ConfigError: something is missing, unknown or out of range.
    """
    return Training.parse(with_settings(read_configuration("train", what), list(settings)), what)


def train(config: Training, out: Path) -> Trainer:
    """Train, or go on, in a folder; print how it goes, and draw the learning curves.

    Raises:
        ConfigError: the folder holds another training, or cannot be written to.
    """
    write_files(out, {})
    kept = f"what was learned up to the last checkpoint is in {out}, and the same command goes on from there"
    progress = MatchProgress(config.total_steps, Console(stderr=True), kept, "steps", SECONDS_BETWEEN_LINES)
    with progress:
        try:
            trainer = Trainer(config, out)
            for line in trainer.notes:
                progress.say(line)
            trainer.run(progress)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(progress.summary()) from None
    trainer.draw()
    return trainer


def run_training(config: Training, out: Path) -> None:
    """Train, and say what came out.

    Raises:
        ConfigError: see ``train``.
    """
    with train(config, out) as trainer:
        folder = shlex.quote(str(out))
        say(f"The best checkpoint is that of generation {trainer.best['generation']}: {out / BEST}")
        say(f"Learning curves: {out / CURVES}; losses: tensorboard --logdir {folder}/tensorboard")
        say(f"Measure it on deals that chose nothing: kgb evaluate {folder}")
