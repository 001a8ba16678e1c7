"""The ways in which an environment shows a game: as text, as SVG, as pixels, in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kgb_env.game import Game

if TYPE_CHECKING:
    from kgb_env.render.window import Window

MODES = ("human", "rgb_array", "ansi", "svg")
FPS = 4  # of a window
WIDTH = 600  # of pixels, in the mode `rgb_array`


class Renderer:
    """Shows the records of a game in one of the modes.

    Args:
        game: a configured game.
        mode: ``"ansi"`` or ``"svg"`` (texts), ``"rgb_array"`` (pixels, WIDTH of them in a line), ``"human"`` (a window
            through pygame), or None: nothing.

    Raises:
        ValueError: there is no such mode.
    """

    def __init__(self, game: Game, mode: str | None) -> None:
        if mode not in (None, *MODES):
            raise ValueError(f"render_mode={mode!r}; choose one of {', '.join(map(repr, MODES))}, or None")
        self.game, self.mode = game, mode
        self._window: Window | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """What PettingZoo and Gymnasium want to know about the modes."""
        return {"render_modes": list(MODES), "render_fps": FPS}

    @property
    def shows_by_itself(self) -> bool:
        """Whether the environment has to show every position without being asked."""
        return self.mode == "human"

    def show(self, record: np.ndarray) -> str | np.ndarray | None:
        """Return the picture of one record; in the mode ``"human"`` show it, and return None.

        Raises:
            RenderError: there is no display for a window, or no pygame.
        """
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return self.game.notation.draw(self.game, record)
        picture = self.game.picture(record)
        if self.mode == "svg":
            return picture.svg
        if self.mode == "rgb_array":
            return picture.rgb(WIDTH)
        if self._window is None:
            from kgb_env.render.window import Window

            self._window = Window(self.game.title, FPS)
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._window.close()
        self._window = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave the window out: a copy of an environment opens one of its own."""
        return {**self.__dict__, "_window": None}
