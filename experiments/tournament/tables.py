"""What the terminal, Markdown and HTML show of an event: the same tables for all three."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Section(NamedTuple):
    """A table with its title: the first ``texts`` columns are words, the others figures."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    texts: int = 1


def sections_of(event: Mapping[str, Any], times: Mapping[str, Any]) -> list[Section]:
    """Return the tables of an event of a summary.

    Args:
        event: one of the summary's.
        times: of its agents, as in timing.json.
    """
    sections = [_ratings(event), _results(event), _payoffs(event)]
    if event["by_role"]:
        sections.append(_scores("By role", "role", event["by_role"]))
    sections.append(_scores("By seat", "seat", event["by_seat"]))
    sections.append(Section("Endings", ("Ending", "Games", "Share"), _endings(event)))
    sections.append(_times(times))
    if event["faults"]:
        rows = [(fault, f"{count:,}") for fault, count in event["faults"].items()]
        sections.append(Section("Forfeits", ("Why", "Games"), rows))
    return sections


def notes_of(event: Mapping[str, Any]) -> list[str]:
    """Say what the figures of an event do and do not show."""
    notes = [*_differences(event), *_equilibrium(event)]
    length = event["length"]
    notes.append(
        f"{event['games']:,} games: {event['deals']:,} deals, each in {event['lineups']} lineups. "
        f"Decisions a game: mean {length['mean']:.1f}, median {length['median']:g}, {length['min']} to {length['max']}."
    )
    notes.append(f"Over all agents a seat scores {event['mean_score']:.3f}.")
    notes += [
        f"{name} may choose otherwise another time: figures with it cannot be reproduced exactly."
        for name in event["not_reproducible"]
    ]
    if event["forfeits"]:
        commonest = max(event["faults"], key=event["faults"].__getitem__)
        notes.append(f"{event['forfeits']:,} games were forfeited, {event['faults'][commonest]:,} of them: {commonest}")
    return notes


def _differences(event: Mapping[str, Any]) -> list[str]:
    """Say which ratings differ."""
    if event["agents"][0]["rating_low"] is None:
        return [f"{event['deals']} deals are too few for intervals of ratings and for saying who is better."]
    pairs = sorted(map(tuple, event["no_significant_difference"]))
    if pairs:
        return [f"No significant difference between {one} and {other}." for one, other in pairs]
    return ["All differences between the ratings are significant."]


def _equilibrium(event: Mapping[str, Any]) -> list[str]:
    """Say if there are cycles."""
    names = [row["agent"] for row in event["agents"]]
    if event["equilibrium"] is None:
        missing = [
            f"{names[i]} and {names[j]}" for i, row in enumerate(event["payoffs"]) for j in range(i) if row[j] is None
        ]
        return [f"These never met in a game: {'; '.join(missing)}."]
    mixed = [(share, name) for share, name in zip(event["equilibrium"], names, strict=True) if share > 0.005]
    if len(mixed) == 1:
        return [f"Nobody beats {mixed[0][1]}, going by the pay-offs between each two."]
    shares = ", ".join(f"{name} {share:.0%}" for share, name in mixed)
    return [f"The equilibrium of the pay-off matrix is mixed: {shares}."]


def options_of(event: Mapping[str, Any]) -> str:
    """Return the options of an event's game in a line."""
    return ", ".join(f"{name} = {json.dumps(value)}" for name, value in event["options"].items()) or "none"


def _interval(row: Mapping[str, Any], name: str, digits: int) -> str:
    if row[name + "_low"] is None:
        return "-"
    return f"{row[name + '_low']:.{digits}f} to {row[name + '_high']:.{digits}f}"


def in_short(event: Mapping[str, Any]) -> Section:
    """Return the ratings of an event as they fit into a terminal."""
    rows = [
        (
            row["agent"],
            f"{row['rating']:+.0f}",
            _interval(row, "rating", 0),
            f"{row['games']:,}",
            f"{row['score']:.3f}",
            _interval(row, "score", 3),
        )
        for row in event["agents"]
    ]
    return Section("Ratings", ("Agent", "Rating", "95 % interval", "Games", "Score", "95 % interval"), rows)


def _ratings(event: Mapping[str, Any]) -> Section:
    columns = "Agent", "Rating", "95 % interval", "Score", "95 % interval", "Mean return", "OpenSkill mu", "sigma"
    rows = []
    for row in event["agents"]:
        rating = f"{row['rating']:+.0f}", _interval(row, "rating", 0)
        score = f"{row['score']:.3f}", _interval(row, "score", 3), f"{row['mean_return']:.3f}"
        skill = f"{row['openskill_mu']:.2f}", f"{row['openskill_sigma']:.2f}"
        rows.append((row["agent"], *rating, *score, *skill))
    return Section("Ratings", columns, rows)


def _results(event: Mapping[str, Any]) -> Section:
    names = "games", "wins", "draws", "losses"
    rows = [(row["agent"], *(f"{row[name]:,}" for name in names)) for row in event["agents"]]
    return Section("Seats taken, and how they fared", ("Agent", "Seats", "Wins", "Draws", "Losses"), rows)


def _payoffs(event: Mapping[str, Any]) -> Section:
    names = [row["agent"] for row in event["agents"]]
    rows = []
    for i, name in enumerate(names):
        cells = (_payoff(event, i, j) for j in range(len(names)))
        rows.append((name, *cells))
    return Section("Who does better than whom", ("Agent", *names), rows)


def _payoff(event: Mapping[str, Any], i: int, j: int) -> str:
    score = event["payoffs"][i][j]
    if i == j or score is None:
        return "-"
    return f"{score:.3f} ({event['payoffs_low'][i][j]:.3f} to {event['payoffs_high'][i][j]:.3f})"


def _scores(title: str, by: str, found: Sequence[Mapping[str, Any]]) -> Section:
    rows = [
        (
            row["agent"],
            str(row[by]),
            f"{row['games']:,}",
            f"{row['wins']:,}",
            f"{row['score']:.3f}",
            _interval(row, "score", 3),
            f"{row['mean_return']:.3f}",
        )
        for row in found
    ]
    return Section(
        title, ("Agent", by.capitalize(), "Games", "Wins", "Score", "95 % interval", "Mean return"), rows, texts=2
    )


def _endings(event: Mapping[str, Any]) -> list[tuple[str, ...]]:
    return [(name, f"{count:,}", f"{count / event['games']:.1%}") for name, count in event["endings"].items()]


def _times(times: Mapping[str, Any]) -> Section:
    rows = []
    for agent, took in times.items():
        each = took["milliseconds_a_decision"]
        rows.append((agent, f"{took['decisions']:,}", f"{took['seconds']:.1f}", "-" if each is None else f"{each:.3f}"))
    columns = "Agent", "Decisions", "Seconds, compiling included", "Milliseconds a decision (median)"
    return Section("Time to decide", columns, rows)
