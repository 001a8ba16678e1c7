"""The commands of ``kgb`` about learning: ``train``, ``evaluate``, ``exploit``; they need the extra ``train``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .command import DeadlineFlag, GameArgument, OptionFlags, command

if TYPE_CHECKING:
    from agents import Agent

EXTRA = "learning needs the extra `train`: pip install -c constraints.txt -e '.[train]'"

SettingFlags = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PART.NAME=VALUE",
        show_default=False,
        help="Change a field of the configuration, as in `ppo.n_steps=256`; may be given several times.",
    ),
]
SeedFlag = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Of the deals; the same for all agents.")]


@contextmanager
def _with_extra() -> Iterator[None]:
    """Say which extra is missing, if one is."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("torch", "stable_baselines3", "sb3_contrib", "tensorboard"):
            from .config import ConfigError

            raise ConfigError(f"{EXTRA} ({error})") from None
        raise


@command(
    "train",
    "Examples:\n\n`kgb train confusion`\n\n"
    "`kgb train configs/train/confusion.toml --set ppo.n_steps=256 --out report/train/longer`\n\n"
    "`kgb train my_training.toml --set pool.scripted.greedy=0.5`",
)
def train(
    what: Annotated[
        str,
        typer.Argument(
            metavar="CONFIG", help="A configuration: `confusion`, or the path of a file.", show_default=False
        ),
    ],
    setting: SettingFlags = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where checkpoints and figures go. Default: report/train/ and the configuration's name."
        ),
    ] = None,
) -> None:
    """Train an agent: it learns by playing against itself, its past and scripted agents.

    Killed or stopped, the same command goes on from the last checkpoint, to the same weights.
    The folder then holds best.zip and last.zip (agents: `sb3:FOLDER/best.zip`), curves.png, and logs for TensorBoard.
    """
    with _with_extra():
        from .training.run import run_training, training_of

        run_training(training_of(what, setting or []), out or Path("report/train") / Path(what).stem)


@command(
    "evaluate",
    "Examples:\n\n`kgb evaluate report/train/confusion`\n\n"
    "`kgb evaluate confusion sb3:report/train/confusion/best.zip --against random --against greedy --games 2000`\n\n"
    "`kgb evaluate report/train/double_agent naive --against naive`",
)
def evaluate(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="FOLDER|GAME AGENT...",
            help="A folder of `kgb train`, whose best checkpoint is measured, or a game; and agents that are measured.",
            show_default=False,
        ),
    ],
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Who has all other seats; may be given several times.", show_default=False),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Against each, rounded up to whole deals.")] = 1000,
    seed: SeedFlag = 1,
    option: OptionFlags = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else on stdout.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write evaluation.json into this folder.")
    ] = None,
    deadline: DeadlineFlag = None,
) -> None:
    """Measure agents against others: in each seat or role, on the same deals, with 95 % intervals.

    In games with roles an agent has all seats of a role, and who it is measured against has all others.
    Several agents are also compared with the first, deal by deal.
    """
    from agents import parse_agent
    from kgb_env import game as configure

    from .config import ConfigError, parse_options
    from .outside import DEADLINE
    from .training.evaluate import run_evaluation, trained_in
    from .training.settings import BEST

    first, *others = what
    agents: dict[str, Agent | None] = {}
    if Path(first).is_dir():
        config = trained_in(Path(first))
        if option:
            raise ConfigError("a folder of a training has its game's options already; take --option away")
        from agents.sb3 import SB3Agent

        game, best = config.game_of(), str(Path(first) / BEST)
        agents[f"sb3:{best}"] = SB3Agent(game, best, choice=config.evaluation.choice)
        against, deadline = against or config.evaluation.opponents, deadline or config.deadline
    else:
        game = configure(first, **parse_options(option or []))
    agents |= {str(parse_agent(name)): None for name in others}
    run_evaluation(game, agents, against or [], games, seed, deadline or DEADLINE, json, out)


@command(
    "exploit",
    "Examples:\n\n`kgb exploit confusion greedy --steps 500000`\n\n"
    "`kgb exploit double_agent sb3:report/train/double_agent/best.zip --set environment.seat=double_agent`",
)
def exploit(
    game: GameArgument,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Who is exploited; it does not change.")],
    steps: Annotated[
        int | None, typer.Option(min=1, help="Decisions of the learner. Default: the configuration's, or 1000000.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="By which the learner is finally measured.")] = 1000,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="CONFIG", help="A training whose network and settings the learner has.", show_default=False
        ),
    ] = None,
    setting: SettingFlags = None,
    option: OptionFlags = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else on stdout.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Default: report/exploit/ and the names of the game and the agent."),
    ] = None,
) -> None:
    """Train a fresh learner in one seat against an agent in all others: what replacing one seat of it gains, at least.

    What the learner gets more than the agent itself in its place is a lower bound; a better learner may get more.
    """
    from .config import parse_options

    with _with_extra():
        from .training.exploit import default_folder, exploitation_of, run_exploitation

        given = [*(setting or []), *([f"steps={steps}"] if steps else [])]
        training = exploitation_of(game, parse_options(option or []), agent, config, given)
        run_exploitation(training, agent, games, out or default_folder("exploit", game, agent), json)
