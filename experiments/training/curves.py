"""Learning curves, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from ..tournament.charts import INK, SOFT, STYLE
from .evaluation import title_of

COLOURS = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"  # of Okabe and Ito
DASHES = "-", "--", ":", "-."


def draw_curves(history: Sequence[Mapping[str, Any]], measure: str, title: str, path: Path, taught: int = 0) -> None:
    """Draw how the learner has done against each opponent, with 95 % intervals, over its decisions; write a PNG.

    Args:
        history: of a training.
        measure: ``wins`` or ``returns``.
        title: of the picture.
        path: of the file.
        taught: decisions of the learner in which it had a teacher.
    """
    evaluated = [row for row in history if row["evaluation"]]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7, 4), dpi=130, layout="constrained")
        axes = figure.subplots()
        steps = [row["steps"] for row in evaluated]
        looks = zip(cycle(COLOURS), (dash for dash in DASHES for _ in COLOURS), strict=False)
        for i, (colour, dash) in zip(range(len(evaluated[0]["evaluation"]) if evaluated else 0), looks, strict=False):
            rows = [row["evaluation"][i] for row in evaluated]
            axes.plot(steps, [row[measure] for row in rows], color=colour, linestyle=dash, label=title_of(rows[0]))
            low, high = ([row[f"{measure}_{end}"] for row in rows] for end in ("low", "high"))
            axes.fill_between(steps, low, high, color=colour, alpha=0.15, linewidth=0)
        if taught:
            axes.axvline(taught, color=SOFT, linestyle=":")
            axes.annotate(
                " from here on rewards count",
                (taught, 0.01),
                xycoords=("data", "axes fraction"),
                color=SOFT,
                fontsize=8,
            )
        axes.set_xlabel("decisions of the learner")
        axes.set_ylabel("share of wins, draws counting half" if measure == "wins" else "mean return")
        if measure == "wins":
            axes.set_ylim(-0.02, 1.02)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(lambda steps, _: f"{steps:,.0f}")
        axes.grid(color=SOFT, alpha=0.3)
        axes.set_title(title, color=INK, loc="left", fontsize=11)
        if evaluated:
            axes.legend(frameon=False, loc="best")
        figure.savefig(path, metadata={"Software": None})
