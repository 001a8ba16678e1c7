"""Confusion: Espionage and Deception in the Cold War."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from kgb_env.errors import OptionError
from kgb_env.game import Game, Notation
from kgb_env.games.confusion import legality, rules, spec, views
from kgb_env.games.confusion.drawing import draw, status
from kgb_env.games.confusion.files import PIECES, SETUPS, Setup, build_tables, parse_pieces, parse_setup
from kgb_env.games.confusion.log import log_text
from kgb_env.games.confusion.notebook import Notebook, notebook
from kgb_env.games.confusion.picture import marks, picture
from kgb_env.games.confusion.placement import can_complete
from kgb_env.games.confusion.summary import knowledge
from kgb_env.games.confusion.summary import rules as rules_in_short
from kgb_env.games.confusion.text import action_text, outcome_text, parse_action, parse_outcome, pieces_of
from kgb_env.kernels import Kernels
from kgb_env.layout import markdown_table
from kgb_env.options import GameOptions
from kgb_env.registry import Definition

__all__ = ["DEFINITION", "ConfusionOptions", "Notebook", "notebook"]


def read_tokens(value: Any) -> Any:
    """Return tokens as pairs of tuples, from what is easy to write."""
    if isinstance(value, bool):
        return (spec.TOKENS, spec.TOKENS) if value else ((), ())
    is_pair = isinstance(value, list | tuple) and len(value) == spec.SEATS
    if not is_pair or not all(isinstance(seat, list | tuple) for seat in value):
        raise ValueError("write true, or two lists, White's and Red's: [['reveal'], ['move', 'swap']]")
    unknown = [token for seat in value for token in seat if token not in spec.TOKENS]
    if unknown:
        raise ValueError(f"there is no token {unknown[0]!r}; tokens are {', '.join(spec.TOKENS)}")
    return tuple(tuple(token for token in spec.TOKENS if token in seat) for seat in value)


Token = Literal["reveal", "move", "swap"]
Tokens = Annotated[tuple[tuple[Token, ...], tuple[Token, ...]], BeforeValidator(read_tokens)]


class ConfusionOptions(GameOptions):
    """The options of Confusion."""

    max_turns: int = Field(
        spec.MAX_TURNS, ge=1, le=spec.MAX_TURNS, description="turns a seat, then the game is a draw (C12)"
    )
    auto_answer: bool = Field(
        False, description="answers that are not free are given at once; views are leak-free at own decisions only (C5)"
    )
    pieces: str = Field("standard", description="movement pieces: a shipped file or a path to your own (C1)")
    setup: str = Field("standard", description="board and set-up: a shipped file or a path to your own (C2)")
    special_actions: Tokens = Field(
        ((), ()),
        description="tokens of White and Red, each a list of `reveal`, `move`, `swap`; `True`: all for both (C14)",
    )
    honor_among_spies: bool = Field(False, description="no Double Agents, and no spy X (C15)")
    tight_setup: bool = Field(False, description="the outer columns are out of play (C15)")
    safe_extraction: bool = Field(
        False, description="the briefcase must still be there when one's next turn begins (C15)"
    )
    variable_setup: bool = Field(False, description="both seats place their spies first (C15)")
    promotion_sir: bool = Field(False, description="every spy may be promoted; a Double Agent is uncovered by it (C15)")


NOTATION = Notation(
    action_text,
    parse_action,
    outcome_text,
    parse_outcome,
    draw,
    log_text,
    picture,
    marks,
    rules=rules_in_short,
    knowledge=knowledge,
    status=status,
)
KERNELS = Kernels(rules.begin, rules.chance, legality.legal, rules.step, views.hide, views.observe, views.determinize)


# The options that rules read; the others are in the tables.
IN_THE_RECORD = (
    "max_turns",
    "auto_answer",
    "honor_among_spies",
    "safe_extraction",
    "variable_setup",
    "promotion_sir",
)


def refuse_what_cannot_be(options: ConfusionOptions, setup: Setup) -> None:
    """Raise OptionError for options that do not go together; all others do (C15)."""
    columns, spies = setup.columns - 2 * options.tight_setup, len(setup.spies) - options.honor_among_spies
    outer = [letter for letter in spec.LETTERS[:spies] if setup.spies[letter][0] in (0, setup.columns - 1)]
    if options.tight_setup and outer and not options.variable_setup:
        raise OptionError(f"tight_setup: {' '.join(outer)} would stand out of play in the set-up {options.setup!r}")
    if options.variable_setup and not can_complete(0, 0, 0, 0, 0, columns, spies):
        raise OptionError(
            f"variable_setup: {spies} spies on {columns} columns cannot have {spec.FULL_COLUMNS} columns with two "
            f"and at most {spec.MOST_IN_A_ROW} in a row"
        )


def build(id: str, options: ConfusionOptions, data: dict[str, str]) -> Game:
    """Configure the game."""
    pieces = parse_pieces(data["pieces"], options.pieces)
    setup = parse_setup(data["setup"], options.setup)
    refuse_what_cannot_be(options, setup)
    tables = build_tables(
        pieces,
        setup,
        options.pieces,
        is_tight=options.tight_setup,
        has_double_agents=not options.honor_among_spies,
        is_sir=options.promotion_sir,
    )
    return Game(
        id=id,
        title="Confusion",
        options=options.model_dump(mode="json"),
        data=data,
        seats=spec.SEATS,
        state=spec.STATE,
        actions=spec.ACTIONS,
        observation=spec.OBSERVATION,
        max_chance_outcomes=spec.SPIES,
        max_plies=spec.max_plies(
            options.max_turns, any(options.special_actions), options.variable_setup, options.promotion_sir
        ),
        min_return=-1.0,
        max_return=1.0,
        zero_sum=True,
        secrets=("piece",),
        endings=spec.ENDINGS,
        kernels=KERNELS,
        notation=NOTATION,
        tables=tables,
        scratch_dtype=spec.SCRATCH,
        fields={
            "special_actions": [[token in seat for token in spec.TOKENS] for seat in options.special_actions],
            **{name: getattr(options, name) for name in IN_THE_RECORD},
        },
    )


def page_tables(game: Game) -> dict[str, str]:
    """Return the pieces and the set-up for the page."""
    pieces = [
        (n, p.name, " ".join(sorted(p.directions, key=spec.DIRECTIONS.index)), p.distance, "yes" * p.is_promotable)
        for n, p in enumerate(pieces_of(game), start=1)
    ]
    head = ("Number", "Piece", "Directions", "Distance", "Promotable")
    board = draw(game, game.begin()).partition("\n\n")[0]
    return {
        "pieces": markdown_table(head, *pieces, ("DA", "Double Agent", "as the opponent likes", "", "")),
        "setup": f"```\n{board}\n```",
    }


DEFINITION = Definition(
    title="Confusion",
    summary="two seats, a briefcase to bring home; you see how the other's spies move, never your own",
    options=ConfusionOptions,
    build=build,
    page_tables=page_tables,
    files={"pieces": PIECES, "setup": SETUPS},
    presets={
        "mini": {"setup": "mini", "pieces": "mini", "max_turns": 20},
        "mini7": {"setup": "mini7", "pieces": "mini7", "max_turns": 60},
    },
)
