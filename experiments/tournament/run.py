"""The command ``kgb tournament``: play or go on, then write and show what came out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from ..config import ConfigError, read_configuration
from ..progress import MatchProgress
from ..report import to_json, write_files
from .manifest import IDENTITY, manifest_of
from .plan import Plan
from .play import play, prepare
from .report import html, markdown, print_summary
from .store import Store
from .summary import summarize, timing

RESULTS = "results.sqlite"


def plan_of(what: str, is_game: bool, given: dict[str, Any], options: dict[str, Any]) -> Plan:
    """Return the plan that a command line describes.

    Args:
        what: the id of a game, the name of a tournament that we ship, or a path.
        is_game: it is the first of these.
        given: flags that go before what a configuration says.
        options: of the game; they go before those of every event.

    Raises:
        ConfigError: something is missing, unknown or out of range.
    """
    of_event = {name: given[name] for name in ("agents", "games", "schedule") if name in given}
    of_plan: dict[str, Any] = {name: given[name] for name in ("seed", "deadline") if name in given}
    if is_game:
        described: dict[str, Any] = {"events": [{"game": what}]}
        if "agents" not in given:
            from agents import agent_names

            raise ConfigError(f"who is to play {what}? --agents takes some of: {', '.join(agent_names(what))}")
    else:
        described = Plan.parse(read_configuration("tournament", what), what).model_dump(exclude_unset=True)
    events = [
        {**event, **of_event, "options": {**event.get("options", {}), **options}} for event in described["events"]
    ]
    return Plan.parse({**described, **of_plan, "events": events}, what)


def run(plan: Plan, out: Path, workers: int, ray: str | None) -> None:
    """Play what is missing of a tournament and write the results into a folder.

    Raises:
        ConfigError: the folder cannot be written to, an agent or a schedule does not fit.
        StoreError: the folder holds something else.
    """
    prepare(plan)
    write_files(out, {})
    with Store(out / RESULTS, manifest_of(plan), IDENTITY) as store:
        kept = f"they are in {out}, and the same command goes on"
        with MatchProgress(plan.games, Console(stderr=True), kept) as progress:
            try:
                play(plan, store, workers, ray, progress.update)
                progress.summarizing()
                summary, times, manifest = summarize(plan, store), timing(plan, store), store.manifest()
            except KeyboardInterrupt:
                raise KeyboardInterrupt(progress.summary()) from None
    page = html(summary, times, manifest)
    print_summary(summary, Console())
    paths = write_files(
        out,
        {
            "summary.json": to_json(summary),
            "timing.json": to_json(times),
            "plan.json": to_json(summary["plan"]),
            "manifest.json": to_json({**manifest, "plan": summary["plan"]}),
            "report.md": markdown(summary, times, manifest),
            "report.html": page,
        },
    )
    Console().print(f"Report: {paths[-1]}", markup=False, highlight=False, soft_wrap=True)
