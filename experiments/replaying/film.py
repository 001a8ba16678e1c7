"""Games as films: an animated GIF through Pillow, or an MP4 through imageio (extra ``video``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from kgb_env import Game
from kgb_env.render.picture import Picture
from kgb_env.render.svg import PALETTE

from ..config import ConfigError
from .timeline import Step

EXTRA = "films need the extra `video`: pip install -c constraints.txt -e '.[video]'"
LAST_FRAME_SECONDS = 3.0
MOST_FPS_OF_A_GIF = 50  # its pauses are hundredths of a second, and browsers slow down what has pauses of one


def write_film(
    path: Path,
    game: Game,
    steps: Sequence[Step],
    fps: float = 2.0,
    width: int = 800,
    on_step: Callable[[], None] = lambda: None,
) -> None:
    """Write a film, one frame a step; the last one stays for some seconds.

    Args:
        path: ends in .gif or .mp4.
        game: the game.
        steps: of one point of view, at least one.
        fps: frames a second; at most MOST_FPS_OF_A_GIF in a .gif.
        width: in pixels; an odd one is made even.
        on_step: called after every frame.

    Raises:
        ConfigError: the extra is missing, or the file cannot be written.
    """
    write = _write_gif if path.suffix.lower() == ".gif" else _write_mp4
    try:
        write(path, _Frames(game, steps, fps, width + width % 2, on_step))
    except ModuleNotFoundError as error:
        raise ConfigError(f"{EXTRA} ({error})") from None
    except OSError as error:
        raise ConfigError(f"{path}: the film cannot be written: {error}") from None


class _Frames:
    """The pixels of all steps, drawn one after the other, all of one size."""

    def __init__(self, game: Game, steps: Sequence[Step], fps: float, width: int, on_step: Callable[[], None]) -> None:
        self.fps, self.width, self._on_step = fps, width, on_step
        self._pictures = [game.picture(step.record) for step in steps]
        height = max(round(width * picture.height / picture.width) for picture in self._pictures)
        self.shape = height + height % 2, width, 3  # videos have even sides

    def __len__(self) -> int:
        return len(self._pictures)

    def __iter__(self) -> Iterator[np.ndarray]:
        for picture in self._pictures:
            yield self._drawn(picture)
            self._on_step()

    def _drawn(self, picture: Picture) -> np.ndarray:
        """Return a picture on paper of the size that all share."""
        paper = tuple(int(PALETTE.paper[i : i + 2], 16) for i in (1, 3, 5))
        frame = np.empty(self.shape, np.uint8)
        frame[:] = paper
        pixels = picture.rgb(self.width)[: self.shape[0], : self.width]
        frame[: pixels.shape[0], : pixels.shape[1]] = pixels
        return frame


def _write_gif(path: Path, frames: _Frames) -> None:
    from PIL import Image

    images = map(Image.fromarray, frames)  # drawn one at a time: all of a long game would be gigabytes
    with path.open("wb") as file:
        next(images).save(file, format="GIF", save_all=True, append_images=images, duration=_pauses(frames), loop=0)


def _pauses(frames: _Frames) -> list[int]:
    """Return how long each frame stays, in ms: hundredths of a second that add up to what was asked for."""
    ends = [round(100 * k / frames.fps) for k in range(len(frames) + 1)]
    ends[-1] += round(100 * LAST_FRAME_SECONDS)
    return [10 * (end - begin) for begin, end in pairwise(ends)]


def _write_mp4(path: Path, frames: _Frames) -> None:
    import av  # noqa: F401  what imageio writes films with
    import imageio.v3 as iio

    with iio.imopen(path, "w", plugin="pyav", extension=".mp4") as film:
        film.init_video_stream("libx264", fps=frames.fps)
        for frame in frames:
            film.write_frame(frame)
        for _ in range(round(LAST_FRAME_SECONDS * frames.fps)):
            film.write_frame(frame)
