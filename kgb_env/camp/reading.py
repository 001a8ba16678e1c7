"""A text map: what stands where, what is connected, and every fault in it.  (Rulings K1 to K6)"""

from __future__ import annotations

from functools import cached_property

from kgb_env.camp.cells import (
    CELLS,
    DOOR,
    FLOOR,
    GATE,
    GATES,
    HIDING_PLACES,
    SECTORS,
    START_CELLS,
    WALKWAY,
    Place,
    around,
    connected,
)
from kgb_env.camp.header import (
    CHARACTERS,
    DOOR_CHARACTER,
    FLOOR_CHARACTERS,
    GATE_CHARACTER,
    GAZEBO,
    GREY_CHARACTER,
    HIDING,
    LETTERS,
    POST,
    STEPS,
    WALKWAY_CHARACTER,
    Fault,
    Header,
    Spiral,
)

OF_CHARACTER = {
    **dict.fromkeys(FLOOR_CHARACTERS + STEPS, FLOOR),
    WALKWAY_CHARACTER: WALKWAY,
    DOOR_CHARACTER: DOOR,
    GATE_CHARACTER: GATE,
}


class Reading:
    """A map as far as it can be read, and all that is wrong with it."""

    def __init__(self, rows: list[str], line: int, header: Header) -> None:
        """Read a map.

        Args:
            rows: of the map.
            line: the first one's line in the file.
            header: what stands above it.
        """
        self.line, self.header = line, header
        self.faults: list[Fault] = []
        self._unknown: set[Place] = set()
        self.width = max(map(len, rows), default=0)
        self.rows = [self._straighten(row, text) for row, text in enumerate(rows)]
        self.at = {(r, c): character for r, text in enumerate(self.rows) for c, character in enumerate(text)}
        self.cells = {place: OF_CHARACTER[c] for place, c in self.at.items() if c in OF_CHARACTER}
        self.step = self._number_steps()
        self.sector_of = self._find_sectors()
        self.links = {place: tuple(to for to in around(place) if self._is_linked(place, to)) for place in self.cells}
        self.posts = self._find_posts()
        self._check_floors()
        self._check_doors()
        self._check_edge()
        self._check_ways()
        self._check_sizes()

    def fault(self, place: Place, reason: str) -> None:
        """Note a fault at a place, unless another one there explains it."""
        if place not in self._unknown:
            self.faults.append(Fault(place[0] + self.line, place[1] + 1, reason))

    def where(self, place: Place) -> str:
        """Name a place as faults do."""
        return f"line {place[0] + self.line}, column {place[1] + 1}"

    def places(self, characters: str) -> list[Place]:
        """Return where characters stand, in reading order."""
        return [place for place, character in self.at.items() if character in characters]

    @cached_property
    def gazebo(self) -> list[Place]:
        """The closed cells where The Double Agent starts."""
        return self.places(GAZEBO)

    @cached_property
    def start(self) -> list[Place]:
        """The floor beside the gazebo, in reading order."""
        beside = {to for place in self.gazebo for to in around(place)}
        return [place for place in self.sector_of if place in beside]

    @cached_property
    def hiding(self) -> list[Place]:
        """The hiding places, in reading order."""
        steps = {(self.header.codes.index(s.code.text), step) for s in self._spirals for step in s.hiding}
        return [
            place
            for place, character in self.at.items()
            if character in HIDING or (self.sector_of.get(place, -1), self.step.get(place)) in steps
        ]

    # Characters

    def _straighten(self, row: int, text: str) -> str:
        """Return a row of the right width, with a door, which fits anywhere, for each unknown character."""
        if len(text) < self.width:
            reason = f"this row ends after {len(text)} characters; the widest has {self.width}"
            self.faults.append(Fault(row + self.line, len(text) + 1, reason))
        known = []
        for column, character in enumerate(text.ljust(self.width)):
            if character not in CHARACTERS and character not in self.header.scenery:
                self.fault((row, column), f"{character!r} means nothing (allowed: {CHARACTERS} and scenery)")
                self._unknown.add((row, column))
                character = DOOR_CHARACTER
            known.append(character)
        return "".join(known)

    # Sectors

    @cached_property
    def _spirals(self) -> list[Spiral]:
        return [spiral for spiral in self.header.spirals if spiral.code.text in self.header.codes]

    def _number_steps(self) -> dict[Place, int]:
        return {place: int(self.at[place]) for place in self.places(STEPS)}

    def _find_sectors(self) -> dict[Place, int]:
        """Return the sector of each floor cell: the letter on its floor, or the spiral's."""
        found: dict[Place, int] = {}
        letters = [sector.letter for sector in self.header.sectors]
        for patch in connected(self.places(FLOOR_CHARACTERS), around):
            named = [place for place in patch if self.at[place] in LETTERS]
            for place in named:
                if self.at[place] not in letters:
                    self.fault(place, f"no sector has the letter {self.at[place]} (there are {' '.join(letters)})")
                elif self.at[place] != self.at[named[0]]:
                    whose = f"{self.at[named[0]]}'s too ({self.where(named[0])})"
                    self.fault(place, f"this floor is {whose}: a wall or a door is missing")
            if not named:
                self.fault(patch[0], "this floor has no sector's letter on it")
            elif self.at[named[0]] in letters:
                found |= dict.fromkeys(patch, letters.index(self.at[named[0]]))
        patches = list(connected(self.places(STEPS), around))
        for patch, spiral in zip(patches, self._spirals, strict=False):
            found |= dict.fromkeys(patch, self.header.codes.index(spiral.code.text))
            self._check_spiral(patch, spiral)
        for patch in patches[len(self._spirals) :]:
            self.fault(patch[0], "steps of a spiral, but the header has no line 'spiral CODE post STEP' for them")
        for spiral in self._spirals[len(patches) :]:
            self.faults.append(spiral.code.fault("the map has no steps for this spiral"))
        return {place: found[place] for place in self.cells if place in found}

    def _check_spiral(self, patch: list[Place], spiral: Spiral) -> None:
        """Check that the steps are 1, 2, 3, ..., each beside the next (K6)."""
        at: dict[int, Place] = {}
        for place in patch:
            step = self.step[place]
            if step in at:
                self.fault(place, f"there is another step {step} ({self.where(at[step])})")
            at.setdefault(step, place)
        for step in range(1, max(at)):
            if step not in at:
                self.fault(patch[0], f"the spiral has no step {step}")
            elif step + 1 in at and at[step + 1] not in around(at[step]):
                self.fault(at[step + 1], f"step {step + 1} is not beside step {step} ({self.where(at[step])})")
        for step in (spiral.post, *spiral.hiding):
            if step not in at:
                self.faults.append(spiral.code.fault(f"the map has no step {step} of this spiral"))

    def _is_linked(self, place: Place, to: Place) -> bool:
        """Say whether two places beside each other are one step apart: all are but in a spiral (K1, K6)."""
        if place not in self.cells or to not in self.cells:
            return False
        first, second = self.step.get(place), self.step.get(to)
        if first is None and second is None:
            return True
        if first is None or second is None:
            return 1 in (first, second)  # only the first step has a door
        return abs(first - second) == 1

    def _find_posts(self) -> dict[int, Place]:
        """Return the guard post of each sector."""
        posts: dict[int, Place] = {}
        steps = {(self.header.codes.index(spiral.code.text), spiral.post) for spiral in self._spirals}
        for place, sector in self.sector_of.items():
            if self.at[place] in POST or (sector, self.step.get(place)) in steps:
                if sector in posts:
                    code, first = self.header.codes[sector], self.where(posts[sector])
                    self.fault(place, f"{code} has a guard post already ({first})")
                posts.setdefault(sector, place)
        return posts

    # Checks

    def _check_floors(self) -> None:
        """Check that every sector has floor and a post, and that no floor touches what is outside it (K1)."""
        for number, sector in enumerate(self.header.sectors):
            place = next((place for place, its in self.sector_of.items() if its == number), None)
            if place is None:
                reason = f"{sector.name} has no floor with its letter {sector.letter} on the map"
                self.faults.append(Fault(sector.line, 0, reason))
            elif number not in self.posts and not any(s.code.text == sector.code for s in self._spirals):
                self.fault(place, f"{sector.name} has no guard post: one of its cells must be '*' or '&'")
        for place, kind in self.cells.items():
            if kind == FLOOR:
                for to in around(place):
                    if self.cells.get(to) == WALKWAY or self.at.get(to) == GREY_CHARACTER:
                        self.fault(place, f"floor touches a walkway ({self.where(to)}): a wall or a door is missing")
                    elif to > place and self._is_other_floor(place, to):
                        reason = f"floor touches another sector's ({self.where(to)}): a wall or a door is missing"
                        self.fault(place, reason)

    def _is_other_floor(self, place: Place, to: Place) -> bool:
        return self.cells.get(to) == FLOOR and (place in self.step) != (to in self.step)

    def _side(self, place: Place) -> str:
        """Return the side of the map that a place lies on, or nothing: also in a corner."""
        row, column = place
        sides = {"north": row == 0, "south": row == len(self.rows) - 1}
        sides |= {"west": column == 0, "east": column == self.width - 1}
        found = [side for side, is_there in sides.items() if is_there]
        return found[0] if len(found) == 1 else ""

    def _check_doors(self) -> None:
        """Check that every door leads out of a sector (K1, K3)."""
        for place, kind in self.cells.items():
            if kind == DOOR:
                sides = {self.sector_of.get(to) for to in self.links[place]}
                if len(sides) < 2:
                    self.fault(place, "a door leads out of a sector: floor on one side, anything else on another")

    def _check_edge(self) -> None:
        """Check gates, grey cells and the gazebo (K2, K4, K5)."""
        grey = self.places(GREY_CHARACTER)
        fence = self._side(grey[0]) if grey else ""
        for place in grey:
            if not self._side(place) or self._side(place) != fence:
                self.fault(place, "grey cells stand in the fence: all on the same edge of the map, in no corner")
            elif not any(self.cells.get(to, GATE) != GATE for to in around(place)):
                self.fault(place, "no cell leads to this grey cell")
        for place, kind in self.cells.items():
            side = self._side(place)
            if kind == GATE and (not side or side == fence or not self.links[place]):
                self.fault(place, "a gate stands in a brick wall: on an edge, in no corner, not in the fence")
            elif kind != GATE and self._is_on_edge(place):
                self.fault(place, "only gates and grey cells lie on the edge of the map; beyond it is outside")
        if self.gazebo and not 1 <= len(self.start) <= START_CELLS:
            reason = f"cells of floor beside the gazebo: {len(self.start)}; allowed are 1 to {START_CELLS}"
            self.fault(self.gazebo[0], reason)

    def _is_on_edge(self, place: Place) -> bool:
        return place[0] in (0, len(self.rows) - 1) or place[1] in (0, self.width - 1)

    def _check_ways(self) -> None:
        """Check that all cells can be reached from the largest part of the map (K1)."""
        for part in sorted(connected(self.cells, self.links.__getitem__), key=len)[:-1]:
            if not self._unknown.intersection(to for place in part for to in around(place)):
                self.fault(part[0], f"no way leads from the rest of the camp to this part; its cells: {len(part)}")

    def _check_sizes(self) -> None:
        """Check that the board is not too large for the tables, nor too small for the games (K1)."""
        gates = self.places(GATE_CHARACTER)
        for what, count, least, most in (
            ("sectors", len(self.header.sectors), 2, SECTORS),
            ("walkable cells", len(self.cells), 2, CELLS),
            ("gates", len(gates), 1, GATES),
            ("hiding places", len(self.hiding), 0, HIDING_PLACES),
        ):
            if not least <= count <= most:
                self.faults.append(Fault(self.line, 0, f"{what} on the map: {count}; allowed are {least} to {most}"))
        if self.header.gates and len(self.header.gates) != len(gates):
            reason = f"gates named: {len(self.header.gates)}; on the map: {len(gates)}"
            self.faults.append(self.header.gates[0].fault(reason))
