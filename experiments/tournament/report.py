"""How the results of a tournament are shown: in the terminal, as Markdown, as one HTML page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from kgb_env.layout import markdown_table

from ..report import table
from .tables import in_short, notes_of, options_of, sections_of

METHOD = (
    "Ratings: maximum likelihood of the Plackett-Luce model (Bradley-Terry with two seats), on average 0, 400 points "
    "being ten to one; one drawn game between each two agents is added, so that who always loses has a rating too.",
    "A seat wins whose return is the highest; equal returns of all are a draw. Score = (wins + draws / 2) / games.",
    "Intervals: 95 %, by resampling deals, since the games of one deal are dependent.",
    "Who does better than whom: in games of both, the share in which the return of one is higher, equal ones half.",
    "OpenSkill: mu and sigma of its Plackett-Luce model after all games in the order of their numbers.",
)


def print_summary(summary: Mapping[str, Any], console: Console) -> None:
    """Print the ratings of every event, and what is to be said of them."""
    for event in summary["events"]:
        console.print(f"\n{event['event']}", style="bold", markup=False, highlight=False)
        ratings = in_short(event)
        console.print(table(ratings.columns, ratings.rows))
        for note in notes_of(event):
            console.print(note, markup=False, highlight=False, soft_wrap=True)


def markdown(summary: Mapping[str, Any], times: Mapping[str, Any], manifest: Mapping[str, str]) -> str:
    """Return a tournament's report as Markdown."""
    parts = [f"# {_title(summary)}", _facts(summary)]
    for event in summary["events"]:
        parts += [
            f"## {event['event']}",
            f"Game: {event['game']}. Schedule: {event['schedule']}. Options: {options_of(event)}.",
            "\n".join(f"- {note}" for note in notes_of(event)),
        ]
        for section in sections_of(event, times[event["event"]]):
            parts += [f"### {section.title}", markdown_table(section.columns, *section.rows)]
    made = [(name, value) for name, value in manifest.items() if name != "plan"]
    parts += [
        "## The same figures again",
        "\n".join(f"- {line}" for line in METHOD),
        f"```json\n{json.dumps(summary['plan'], indent=2, ensure_ascii=False)}\n```",
        markdown_table(("Made with", ""), *made),
    ]
    return "\n\n".join(parts) + "\n"


def html(summary: Mapping[str, Any], times: Mapping[str, Any], manifest: Mapping[str, str]) -> str:
    """Return a tournament's report as one HTML page that needs nothing else."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from .charts import charts_of

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    events = [
        {
            "name": event["event"],
            "anchor": re.sub(r"\W+", "-", event["event"]),
            "game": event["game"],
            "schedule": event["schedule"],
            "options": options_of(event),
            "notes": notes_of(event),
            "charts": charts_of(event),
            "sections": sections_of(event, times[event["event"]]),
        }
        for event in summary["events"]
    ]
    return environment.get_template("report.html.jinja").render(
        title=_title(summary),
        games=f"{sum(event['games'] for event in summary['events']):,}",
        version=summary["version"],
        plan=summary["plan"],
        plan_text=json.dumps(summary["plan"], indent=2, ensure_ascii=False),
        events=events,
        method=METHOD,
        made={name: value for name, value in manifest.items() if name != "plan"},
    )


def _title(summary: Mapping[str, Any]) -> str:
    return f"Tournament: {', '.join(event['event'] for event in summary['events'])}"


def _facts(summary: Mapping[str, Any]) -> str:
    games = sum(event["games"] for event in summary["events"])
    return f"{games:,} games, seed {summary['plan']['seed']}, kgb-env {summary['version']}."
