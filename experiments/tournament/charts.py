"""Charts of a report, as SVG text that stands in the page itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, SOFT, MAIN = "#22303c", "#8a98a5", "#0072b2"  # MAIN is of Okabe and Ito's colours, which everybody can tell apart
STYLE: Any = {
    "svg.fonttype": "none",  # letters stay letters
    "svg.hashsalt": "kgb",  # the same chart is the same text
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
}
SHORT = 26  # letters of a name


def charts_of(event: Mapping[str, Any]) -> dict[str, str]:
    """Return the charts of an event by title, as SVG."""
    agents = len(event["agents"])
    with matplotlib.rc_context(STYLE):
        return {
            "Ratings": _draw(_ratings, event, 7, 0.9 + 0.38 * agents),
            "Score of the row against the column": _draw(_payoffs, event, 2.6 + 0.75 * agents, 1.6 + 0.55 * agents),
            "Endings": _draw(_endings, event, 7, 0.7 + 0.34 * len(event["endings"])),
            "Decisions in a game": _draw(_lengths, event, 7, 2.2),
        }


def _draw(chart: Any, event: Mapping[str, Any], width: float, height: float) -> str:
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    chart(axes, event)
    text = StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return re.sub(r".*?(?=<svg)", "", text.getvalue(), count=1, flags=re.DOTALL)


def _short(name: str) -> str:
    return name if len(name) <= SHORT else f"{name[: SHORT - 1]}…"


def _ratings(axes: Axes, event: Mapping[str, Any]) -> None:
    rows = event["agents"][::-1]
    rating = np.array([row["rating"] for row in rows])
    ends = np.array([[row["rating_low"] for row in rows], [row["rating_high"] for row in rows]], float)
    errors = np.maximum(np.stack([rating - ends[0], ends[1] - rating]), 0)  # of few deals there are none
    places = np.arange(len(rows))
    axes.errorbar(rating, places, xerr=errors, fmt="o", color=MAIN, ecolor=MAIN, capsize=3, markersize=6)
    for place, row in zip(places, rows, strict=True):
        axes.annotate(f"{row['rating']:+.0f}", (row["rating"], place), (0, 6), textcoords="offset points", ha="center")
    axes.set_yticks(places, [_short(row["agent"]) for row in rows])
    axes.set_ylim(-0.6, len(rows) - 0.3)
    axes.margins(x=0.08)
    axes.grid(axis="x", color=SOFT, alpha=0.3)
    axes.set_xlabel("rating (400 points: ten to one), with 95 % intervals")


def _payoffs(axes: Axes, event: Mapping[str, Any]) -> None:
    names = [_short(row["agent"]) for row in event["agents"]]
    values = np.array([[np.nan if value is None else value for value in row] for row in event["payoffs"]], float)
    np.fill_diagonal(values, np.nan)
    axes.imshow(values, cmap="PuOr", vmin=0, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            colour = "white" if abs(value - 0.5) > 0.25 else INK
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=colour)
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def _endings(axes: Axes, event: Mapping[str, Any]) -> None:
    names, counts = list(event["endings"])[::-1], list(event["endings"].values())[::-1]
    bars = axes.barh([_short(name) for name in names], counts, color=MAIN)
    axes.bar_label(bars, [f"{count / event['games']:.1%}" for count in counts], padding=3)
    axes.margins(x=0.12)
    axes.set_xlabel("games")


def _lengths(axes: Axes, event: Mapping[str, Any]) -> None:
    edges = np.array(event["length"]["edges"])
    axes.bar(edges[:-1], event["length"]["bars"], np.diff(edges), align="edge", color=MAIN, edgecolor="white")
    axes.set_xlabel("decisions")
    axes.set_ylabel("games")
