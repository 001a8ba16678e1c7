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
from ..statistics import RESAMPLES
from .summary import FEWEST_DEALS, SAMPLES
from .tables import in_short, notes_of, options_of, sections_of

METHOD = (
    "Schedules. round-robin: every deal in seatings of all agents in which everybody sits in every seat equally often, "
    "and meets everybody both ways equally often. field: one agent against another in all other seats. roles: "
    "every way to give the roles of the game to agents. The seeds of a deal are the same in all its games.",
    "A seat wins whose return is the highest, and so do all that share it; equal returns of all are a draw. "
    "Score = (wins + draws / 2) / seats taken.",
    "Ratings: maximum likelihood of the Plackett-Luce model (Bradley-Terry with two seats), on average 0, 400 points "
    "being ten to one. Seats that tie share their places (Breslow's rule), and those that share the last place are not "
    "compared with each other. An agent in several seats counts in each. One drawn game between each two agents is "
    "added, so that who always loses has a rating too. Where seats share their returns, as a team does, a rating is of "
    "an agent with such team-mates, and its differences are no odds.",
    f"Intervals: 95 %, by resampling deals, since the games of one deal are dependent: {SAMPLES:,} times for ratings, "
    f"whose added games are drawn from Jeffreys' prior anew each time, {RESAMPLES:,} times for scores and pay-offs, "
    "where Clopper-Pearson bounds go before when nearly all deals came out the same. With fewer than "
    f"{FEWEST_DEALS} deals ratings have no interval.",
    "A difference between ratings is significant if the resamples say so at 5 % with Holm's correction for all pairs.",
    "Who does better than whom: in games of both, the share in which the return of one is higher, equal ones half. "
    "Equilibrium: of the game in which two players each name an agent and get these pay-offs; of several the one with "
    "the highest entropy.",
    "OpenSkill: mu and sigma of its Plackett-Luce model after all games in the order of their numbers, on which they "
    "depend; sigma is no confidence interval.",
    "Who forfeits gets the least that the game has, in all its seats; it has lost to all others.",
)


COMMAND = (
    "`kgb tournament plan.json` plays it again, with the plan in a file of that name; one lies beside this report."
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
        f"{COMMAND}\n\n```json\n{json.dumps(summary['plan'], indent=2, ensure_ascii=False)}\n```",
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
        command=COMMAND.replace("`", ""),
        made={name: value for name, value in manifest.items() if name != "plan"},
    )


def _title(summary: Mapping[str, Any]) -> str:
    return f"Tournament: {', '.join(event['event'] for event in summary['events'])}"


def _facts(summary: Mapping[str, Any]) -> str:
    games = sum(event["games"] for event in summary["events"])
    return f"{games:,} games, seed {summary['plan']['seed']}, kgb-env {summary['version']}."
