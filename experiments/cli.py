"""The command ``kgb``.  Every command imports what it needs itself, so that help is quick."""

from __future__ import annotations

import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .aside import leave_behind
from .command import DeadlineFlag, GameArgument, OptionFlags, app, command, say, stop_once, when_hung_up

if TYPE_CHECKING:
    from .config import MatchConfig
    from .replaying.saving import Saver


def main() -> None:
    """Run the command line."""
    sys.path.append(str(Path.cwd()))  # a game or an agent of the user's own, in the folder where he works
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a cluster's way to stop a job, as good as Ctrl-C
    when_hung_up(stop_once)
    try:
        app()
    except SystemExit as end:
        leave_behind(end.code)
        raise


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from kgb_env import __version__

        typer.echo(f"kgb {__version__}")
        raise typer.Exit


@app.callback()
def _kgb(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


@command("list", "Then look at one: `kgb show confusion --seed 7`.")
def list_games() -> None:
    """List the games, their options, and the agents that play them."""
    from .listing import print_games

    print_games()


@command(
    "show",
    "Examples:\n\n`kgb show confusion --seed 7`\n\n`kgb show confusion --seed 7 --seat 0 --plies 40`\n\n"
    "`kgb show double_agent --plies 80 --agent naive --seat 1 --picture table.svg`",
)
def show(
    game: GameArgument,
    seed: Annotated[int, typer.Option(help="Which deal, and the luck of those who play.")] = 0,
    seat: Annotated[
        int | None, typer.Option(help="Whose eyes to look through; without it, what everybody at the table knows.")
    ] = None,
    plies: Annotated[int, typer.Option(min=0, help="Decisions to play first.")] = 0,
    agent: Annotated[str, typer.Option(help="The agent that plays them, against itself.")] = "random",
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw a picture into this file instead: .svg or .png.")
    ] = None,
    option: OptionFlags = None,
) -> None:
    """Draw the table of a game as a seat sees it, and say what has happened so far."""
    from kgb_env import game as configure

    from .config import parse_options
    from .listing import print_table, save_picture

    configured = configure(game, **parse_options(option or []))
    if picture:
        save_picture(picture, configured, seed, seat, plies, agent)
    else:
        print_table(configured, seed, seat, plies, agent)


@command(
    "match",
    "Examples:\n\n`kgb match demo`\n\n"
    "`kgb match confusion greedy random --games 200 --seed 3 --option max_turns=50`\n\n"
    "`kgb match confusion-mini 'ismcts(simulations=400)' greedy --games 100`\n\n"
    "`kgb match confusion greedy random --games 20 --save games.jsonl`\n\n"
    "`kgb match double_agent --role double_agent=naive --role security_agent=deduction`\n\n"
    "`kgb match my_match.toml --games 5000 --out report/mine`",
)
def match(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME AGENT AGENT",
            help="A game and the agents that play it, as in `kgb list`, perhaps with arguments; "
            "or else one configuration: `demo`, or the path of a file of your own. With --role a game alone.",
            show_default=False,
        ),
    ],
    games: Annotated[
        int | None,
        typer.Option(help="Games to play, rounded up so that every deal is played in all seatings. Default: 1000."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same figures. Default: 1.")] = None,
    option: OptionFlags = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=AGENT",
            show_default=False,
            help="In a game with roles, who plays one, whatever its seat: once for every role, instead of agents.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else on stdout.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write result.json and report.md into this folder.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option(help="Games played at a time: a matter of speed, not of figures. Default: 2048.")
    ] = None,
    deadline: DeadlineFlag = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the games down, each as it ends, in a new file: see `kgb replay`. Putting all moves into "
            "words takes fast agents several times as long as playing: see --save-first.",
        ),
    ] = None,
    save_first: Annotated[
        int | None, typer.Option(min=1, help="With --save: write down so many games only, those of the first deals.")
    ] = None,
) -> None:
    """Let agents play many games against each other, and say which is better.

    Every deal is played in all seatings, so that neither the deal nor a better seat decides.
    Flags go before what a configuration says.
    """
    flags = {"games": games, "seed": seed, "batch": batch, "deadline": deadline}
    given = {name: value for name, value in flags.items() if value is not None}
    _run_match(_match_config(what, given, option or [], role or []), json, out, save, save_first)


def _match_config(what: list[str], flags: dict[str, Any], options: list[str], roles: list[str]) -> MatchConfig:
    """Put a match together from arguments, configuration and flags."""
    from .config import ConfigError, MatchConfig, configuration_names, parse_options, parse_roles, read_configuration

    if len(what) > 1 and (what[0].endswith(".toml") or what[0] in configuration_names("match")):
        raise ConfigError(f"{what[0]} is a configuration and names its agents itself; take {' '.join(what[1:])} away")
    if len(what) > 1:
        described: dict[str, Any] = {"game": what[0], "agents": what[1:]}
    elif _is_game(what[0]):
        described = {"game": what[0]}
        if not roles:
            from agents import agent_names

            raise ConfigError(f"who is to play {what[0]}? Name some of its agents: {', '.join(agent_names(what[0]))}")
    else:
        described = MatchConfig.parse(read_configuration("match", what[0]), what[0]).model_dump(exclude_unset=True)
    for name, given in {"options": parse_options(options), "roles": parse_roles(roles)}.items():
        described[name] = {**described.get(name, {}), **given}
    return MatchConfig.parse({**described, **flags})


def _is_game(text: str) -> bool:
    """Tell a game's id from the name of a configuration."""
    from kgb_env.registry import BUILT_IN, preset_ids

    return text in (*BUILT_IN, *preset_ids()) or (":" in text and not Path(text).exists())


def _run_match(
    config: MatchConfig, as_json: bool, out: Path | None, save: Path | None = None, save_first: int | None = None
) -> None:
    """Play a match and show the result."""
    from rich.console import Console

    from agents import is_reproducible, notes_of

    from .match import MatchError, play_match, set_up
    from .progress import MatchProgress
    from .report import markdown, notes_on, print_result, to_json, write_files
    from .statistics import summarize

    game, agents = set_up(config)
    if out:
        write_files(out, {})  # better to know now than after an hour that the folder cannot be made
    saver = _saver(save, save_first)
    with saver or nullcontext(), MatchProgress(config.games, Console(stderr=True)) as progress:
        try:
            played = play_match(game, agents, config.games, config.seed, config.batch, progress.update, saver)
            progress.summarizing()
            result, notes = summarize(played, config.players), notes_on(played)
        except KeyboardInterrupt:
            saved = f"{saver.written:,} games are in {saver.path}, no result was written" if saver else ""
            raise KeyboardInterrupt(saved or progress.summary()) from None
        except MatchError:
            if saver:
                say(f"{saver.written:,} games had ended before; they are in {saver.path}.")
            raise
    notes += [
        f"{label} may choose otherwise another time: these figures cannot be reproduced exactly."
        for label, agent in agents.items()
        if not is_reproducible(agent)
    ]
    notes += [f"{label}: {note}" for label, agent in agents.items() for note in notes_of(agent)]
    if played.games != config.games:
        say(f"{config.games:,} games were asked for; {played.games:,} make whole sets of seatings.")
    if as_json:
        typer.echo(to_json(result), nl=False)
    else:
        print_result(result, notes, Console())
    if out:
        paths = write_files(out, {"result.json": to_json(result), "report.md": markdown(result, notes, config)})
        typer.echo(f"Written: {', '.join(map(str, paths))}", err=as_json)
    if saver:
        typer.echo(
            f"Written: {saver.path} ({saver.written:,} games); look at them with: kgb replay {saver.path}", err=as_json
        )


def _saver(path: Path | None, first: int | None) -> Saver | None:
    """Return what writes games down, if that is wanted."""
    from .config import ConfigError
    from .replaying.saving import Saver

    if path is None and first is not None:
        raise ConfigError("--save-first says how many games --save writes down; add --save FILE")
    return Saver(path, first) if path else None


@command(
    "tournament",
    "Examples:\n\n`kgb tournament confusion --agents greedy,inference,random --games 600`\n\n"
    "`kgb tournament double_agent --agents expert,naive --schedule roles --out report/roles`\n\n"
    "`kgb tournament my_tournament.toml --workers 2`\n\n"
    "`kgb tournament confusion --agents greedy,my_package.my_module:MyAgent`",
)
def tournament(
    what: Annotated[
        str,
        typer.Argument(
            metavar="GAME|CONFIG",
            help="A game, or a configuration: `demo`, or the path of a file of your own.",
            show_default=False,
        ),
    ],
    agents: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="The agents, with commas between them. `package.module:MyAgent` is one of your own, "
            "`function:package.module:choose` a function on observations.",
            show_default=False,
        ),
    ] = None,
    games: Annotated[
        int | None, typer.Option(help="Games to play in every event, rounded up to whole deals. Default: 1000.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same figures. Default: 1.")] = None,
    schedule: Annotated[
        str | None,
        typer.Option(help="`round-robin`, `field` (one agent against another in all other seats) or `roles`."),
    ] = None,
    option: OptionFlags = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where results go. Default: report/ and the name of what is played."),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes: a matter of speed, not of figures.")] = 1,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="A Ray cluster to play on; `local` starts one here (extra `ray`)."),
    ] = None,
    deadline: DeadlineFlag = None,
) -> None:
    """Rate agents by many games, in a way that can be interrupted at any time and goes on from there.

    Results are written as they come; the same command again plays what is missing.
    """
    from .config import parse_options
    from .tournament.run import plan_of, run

    flags = {"games": games, "seed": seed, "schedule": schedule, "deadline": deadline}
    given: dict[str, Any] = {name: value for name, value in flags.items() if value is not None}
    if agents is not None:
        from agents.names import split_agents

        given["agents"] = split_agents(agents)
    plan = plan_of(what, _is_game(what), given, parse_options(option or []))
    run(plan, out or Path("report") / Path(what).stem, workers, ray)


@command(
    "explain",
    "Examples:\n\n`kgb explain confusion --seed 7 --turn 20 --seat 0`\n\n"
    '`kgb explain confusion --turn 30 --agent "inference(belief=raw)"`\n\n'
    "`kgb explain suspicious --story`",
)
def explain(
    game: GameArgument,
    seed: Annotated[int, typer.Option(help="Which game: the first of a match with this seed.")] = 0,
    turn: Annotated[
        int, typer.Option(min=1, help="The turn of the game, all seats' turns counted from 1; in Suspicious the round.")
    ] = 1,
    seat: Annotated[int, typer.Option(help="Whose thoughts: at its first real choice from that turn on.")] = 0,
    agent: Annotated[
        str | None, typer.Option(help="An agent that says what it thinks. Default: the one of the game that does.")
    ] = None,
    story: Annotated[
        bool, typer.Option("--story", help="Tell the whole turn instead: what every seat did, and what it believed.")
    ] = False,
    option: OptionFlags = None,
) -> None:
    """Let an agent play itself, and say what a seat believes and considers at one decision.

    It shows probabilities that are worked out from what the seat has seen alone.
    """
    from kgb_env import game as configure

    from .config import parse_options
    from .explain import print_explanation, print_story

    configured = configure(game, **parse_options(option or []))
    if story:
        print_story(configured, agent, seed, turn)
    else:
        print_explanation(configured, agent, seed, turn, seat)


@command("calibrate", "Examples:\n\n`kgb calibrate confusion`\n\n`kgb calibrate confusion --games 1000 --seed 2`")
def calibrate(
    game: GameArgument,
    games: Annotated[int, typer.Option(min=1, help="Games that the agent plays against itself.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same figures.")] = 1,
    agent: Annotated[
        str | None, typer.Option(help="An agent that says what it believes. Default: the one of the game that does.")
    ] = None,
    option: OptionFlags = None,
) -> None:
    """See whether what an agent believes comes true as often as it thinks.

    Probabilities are sorted into ten bins; in each, the mean belief is held against the share that came true.
    """
    from kgb_env import game as configure

    from .calibration import print_calibration
    from .config import parse_options

    print_calibration(configure(game, **parse_options(option or [])), agent, games, seed)


@command("speed", "Examples:\n\n`kgb speed confusion`\n\n`kgb speed confusion --peers --json`")
def speed(
    game: GameArgument,
    json: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON, and nothing else on stdout.")
    ] = False,
    peers: Annotated[
        bool, typer.Option("--peers", help="Also measure games of other libraries, in the same run (extra `peers`).")
    ] = False,
    option: OptionFlags = None,
) -> None:
    """Measure how many moves a second a game makes on this machine."""
    from .config import parse_options
    from .speed import run

    run(game, parse_options(option or []), as_json=json, peers=peers)


benchmarks = typer.Typer(
    help="Named, versioned tasks with fixed opponents, options, deals and numbers of games.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.add_typer(benchmarks, name="benchmark", epilog="Begin with `kgb benchmark list`.")


@command("list", "Then measure an agent: `kgb benchmark run confusion-duel-v0 --agent greedy`.", benchmarks)
def list_tasks() -> None:
    """List the tasks, and the scores of the agents here."""
    from .benchmark import list_tasks

    list_tasks()


@command(
    "run",
    "Examples:\n\n`kgb benchmark run confusion-duel-v0 --agent greedy`\n\n"
    "`kgb benchmark run confusion-duel-v0 --agent my_package.my_module:MyAgent --table my_results.csv`",
    benchmarks,
)
def run_task(
    task: Annotated[str, typer.Argument(metavar="TASK", help="A task, as in `kgb benchmark list`, or a file.")],
    agent: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Who is measured; may be given several times.", show_default=False),
    ] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Fewer games than the task says: then the score is not the task's.")
    ] = None,
    table: Annotated[
        Path, typer.Option(metavar="FILE", help="Where the score is appended: a table of comma-separated values.")
    ] = Path("report/benchmark.csv"),
    workers: Annotated[int, typer.Option(min=1, help="Processes: a matter of speed, not of figures.")] = 1,
    deadline: DeadlineFlag = None,
) -> None:
    """Give an agent its score in a task.  Broken off, the same command goes on where it was."""
    from .benchmark import run

    run(task, agent or [], games, table, workers, deadline)


@command(
    "reference",
    "Example:\n\n`kgb benchmark reference --table configs/benchmark/reference.csv --workers 2`",
    benchmarks,
)
def reference(
    table: Annotated[
        Path, typer.Option(metavar="FILE", help="The table; agents that it has already are left out.")
    ] = Path("report/reference.csv"),
    workers: Annotated[int, typer.Option(min=1, help="Processes: a matter of speed, not of figures.")] = 1,
) -> None:
    """Measure all agents here in all tasks: so the table that comes with the tasks was made."""
    from .benchmark import write_reference

    write_reference(table, workers)


@command(
    "check",
    "Examples:\n\n`kgb check confusion`\n\n`kgb check confusion --pairs 100000 --option pieces=my_pieces.txt`\n\n"
    "`kgb check my_package.my_game:DEFINITION`",
)
def check(
    game: GameArgument,
    pairs: Annotated[int, typer.Option(min=1, help="Check at least so many pairs of a state and a seat.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Which random games are played.")] = 0,
    option: OptionFlags = None,
) -> None:
    """Check a game for all that an environment promises.

    No leak on any channel, masks, seeds, copies, possible worlds, and the same play with and without the JIT.
    """
    from kgb_env import game as configure

    from .config import parse_options
    from .listing import print_check

    print_check(configure(game, **parse_options(option or [])), pairs, seed)


@command(
    "board",
    "Examples:\n\n`kgb board double_agent`\n\n`kgb board secret_formula --deluxe`\n\n"
    "`kgb board my_board.txt`\n\n`kgb board check my_board.txt --published`",
)
def board(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="BOARD | check BOARD",
            help="double_agent, secret_formula, mini, or the path of a file of your own; two of them make one camp. "
            "With `check` before it every fault of a file is named.",
            show_default=False,
        ),
    ],
    deluxe: Annotated[bool, typer.Option("--deluxe", help="Put the other game's board beside it.")] = False,
    published: Annotated[
        bool, typer.Option("--published", help="In a check: what is known of the published boards must be so.")
    ] = False,
) -> None:
    """Print a board of Project KGB with its legend, sectors, gates and distances, or check one of your own."""
    from .boards import check_board, print_board
    from .config import ConfigError

    if what[0] != "check":
        if published:
            raise ConfigError("--published goes with a check: kgb board check FILE --published")
        print_board(what, deluxe)
        return
    if len(what) != 2 or deluxe:
        raise ConfigError("name one board after check, without --deluxe: kgb board check FILE")
    if not check_board(what[1], published):
        raise typer.Exit(2)


from . import cli_play, cli_replay, cli_training  # noqa: E402, F401  their commands belong to the application too
