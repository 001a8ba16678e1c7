"""A window that shows pictures, through pygame (extra ``human``), which is imported only here."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from kgb_env.errors import RenderError
from kgb_env.render.picture import Picture

WIDTH = 900  # of the window

# pygame has one window a process: those who share it show their pictures in turns, and the last one closes it.
_OPEN: WeakSet[Window] = WeakSet()


class Window:
    """A window.  Whoever closes it lets the game go on unseen.

    Args:
        title: what stands above it.
        fps: at most so many pictures are shown in a second.

    Raises:
        RenderError: pygame is missing, or there is no display.
    """

    def __init__(self, title: str, fps: int) -> None:
        try:
            import pygame
        except ImportError as error:
            raise RenderError("a window needs pygame: pip install 'kgb-env[human]'") from error
        self._pygame: Any = pygame
        self._title, self._fps, self._is_closed = title, fps, False
        try:
            pygame.display.init()
        except pygame.error as error:
            raise RenderError(f"no window can be opened ({error}); render_mode='rgb_array' needs no display") from error
        self._clock = pygame.time.Clock()
        _OPEN.add(self)

    def show(self, picture: Picture) -> None:
        """Show a picture until the next one comes."""
        if self._is_closed:
            return
        pixels = picture.rgb(WIDTH)
        height, width, _ = pixels.shape
        pygame = self._pygame
        pygame.display.init()  # another environment may have ended the display when its window was closed
        surface = pygame.display.get_surface()
        if surface is None or surface.get_size() != (width, height):
            surface = pygame.display.set_mode((width, height))
        pygame.display.set_caption(self._title)
        surface.blit(pygame.image.frombuffer(pixels.tobytes(), (width, height), "RGB"), (0, 0))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close the window, unless another environment shows its game in it."""
        self._is_closed = True
        _OPEN.discard(self)
        if not _OPEN:
            self._pygame.display.quit()
