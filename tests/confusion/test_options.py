"""Options of Confusion: what goes together, presets, tokens, and that every game built of them keeps the contract."""

import json
import pickle
import warnings
from itertools import product

import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test
from typer.testing import CliRunner

import kgb_env
from agents import make_agent
from experiments.cli import app
from experiments.match import play_match
from kgb_env import KGBEnv, OptionError
from kgb_env.games.confusion.spec import TOKENS
from kgb_env.testing import check_game

VARIANTS = ("honor_among_spies", "tight_setup", "safe_extraction", "variable_setup", "promotion_sir")
SET_UPS = ("confusion", "confusion-mini", "confusion-mini7")

SHORT = {"max_turns": 60}
GAMES = {
    **{variant: ("confusion", {variant: True, **SHORT}) for variant in VARIANTS},
    "tokens": ("confusion", {"special_actions": True, **SHORT}),
    "handicap, auto answer, sir": (
        "confusion",
        {"special_actions": [["move"], list(TOKENS)], "auto_answer": True, "promotion_sir": True, **SHORT},
    ),
    "honor, sir": ("confusion", {"honor_among_spies": True, "promotion_sir": True, **SHORT}),
    "safe, sir, tokens": (
        "confusion",
        {"safe_extraction": True, "promotion_sir": True, "special_actions": True, **SHORT},
    ),
    "tight, variable, auto answer": (
        "confusion",
        {"tight_setup": True, "variable_setup": True, "auto_answer": True, **SHORT},
    ),
    "everything but honor": (
        "confusion",
        dict.fromkeys(VARIANTS[1:], True) | {"special_actions": True, **SHORT},
    ),
    "everything": ("confusion", dict.fromkeys(VARIANTS, True) | {"special_actions": True, **SHORT}),
    "mini": ("confusion-mini", {}),
    "mini, sir, tokens": ("confusion-mini", {"promotion_sir": True, "special_actions": True}),
    "mini, honor, tight, safe": (
        "confusion-mini",
        {"honor_among_spies": True, "tight_setup": True, "safe_extraction": True},
    ),
    "mini7": ("confusion-mini7", {}),
    "mini7, safe, sir, tight, variable": (
        "confusion-mini7",
        {"safe_extraction": True, "promotion_sir": True, "tight_setup": True, "variable_setup": True},
    ),
    "mini7, tokens, honor, auto answer": (
        "confusion-mini7",
        {"special_actions": True, "honor_among_spies": True, "auto_answer": True},
    ),
}


@pytest.fixture(params=GAMES)
def game(request):
    """Return each game in turn."""
    id, options = GAMES[request.param]
    return kgb_env.game(id, **options)


# What goes together


def cannot_be(id, options):
    """Return if the page refuses these options: where the spies cannot fill four columns."""
    return options["variable_setup"] and (
        id == "confusion-mini" or (id == "confusion-mini7" and options["honor_among_spies"])
    )


@pytest.mark.parametrize("id", SET_UPS)
def test_all_combinations_build_or_are_refused_with_the_reason(id):
    built = refused = 0
    for chosen in product((False, True), repeat=len(VARIANTS) + 1):
        *variants, has_tokens = chosen
        options = dict(zip(VARIANTS, variants, strict=True)) | {"special_actions": has_tokens}
        if cannot_be(id, options):
            with pytest.raises(OptionError, match=r"variable_setup: \d+ spies on \d+ columns cannot have 4 columns"):
                kgb_env.game(id, **options)
            refused += 1
            continue
        game = kgb_env.game(id, **options)
        states = game.start()
        assert game.legal(states).size
        assert {name: game.options[name] for name in VARIANTS} == dict(zip(VARIANTS, variants, strict=True))
        assert states["tokens"][0].all() == has_tokens
        assert pickle.loads(pickle.dumps(game)) is game
        built += 1
    assert (built, refused) == {"confusion": (64, 0), "confusion-mini": (32, 32), "confusion-mini7": (48, 16)}[id]


def test_the_reason_counts_spies_and_columns():
    for id, options, reason in (
        ("confusion-mini", {}, "4 spies on 5 columns"),
        ("confusion-mini", {"tight_setup": True, "honor_among_spies": True}, "3 spies on 3 columns"),
        ("confusion-mini7", {"honor_among_spies": True}, "7 spies on 7 columns"),
    ):
        with pytest.raises(OptionError, match=f"variable_setup: {reason} cannot have 4 columns with two"):
            kgb_env.make(id, variable_setup=True, **options)


# Presets


@pytest.mark.parametrize(
    ("id", "options", "spies"),
    [
        ("confusion-mini", {"setup": "mini", "pieces": "mini", "max_turns": 20}, 4),
        ("confusion-mini7", {"setup": "mini7", "pieces": "mini7", "max_turns": 60}, 8),
    ],
)
def test_a_preset_is_options_under_a_name(id, options, spies):
    assert kgb_env.game(id) is kgb_env.game("confusion", **options)
    assert kgb_env.game(id).start()["in_play"][0].tolist() == [spies, spies]
    other = kgb_env.game(id, max_turns=7, tight_setup=True)
    assert other is kgb_env.game("confusion", **{**options, "max_turns": 7, "tight_setup": True})
    for env in (kgb_env.make(id), pettingzoo.make("aec", f"kgb/{id}-v0")):
        env.reset(seed=3)
        assert env.unwrapped.game is kgb_env.game(id)
        env.step(int(env.last()[0]["action_mask"].argmax()))
    assert pettingzoo.make("aec", f"kgb/{id}-v0", max_turns=7).unwrapped.game.options["max_turns"] == 7
    assert kgb_env.make_batch(id, num_envs=3).game is kgb_env.game(id)


@pytest.mark.parametrize("id", ["confusion-tiny", "confusion-", "confusion-mini8", "confusion-mini-v0"])
def test_an_unknown_preset_is_refused_with_those_there_are(id):
    with pytest.raises(OptionError, match=r"confusion has no preset .*; there are mini, mini7"):
        kgb_env.make(id)


# Tokens


@pytest.mark.parametrize(
    ("given", "white", "red"),
    [
        (False, (), ()),
        (True, TOKENS, TOKENS),
        ([[], []], (), ()),
        (((), ()), (), ()),
        ([["reveal"], ["move", "swap"]], ("reveal",), ("move", "swap")),
        ((("reveal", "move", "swap"), ["swap"]), TOKENS, ("swap",)),
        ([["swap", "swap"], []], ("swap",), ()),
    ],
)
def test_ways_to_name_tokens(given, white, red):
    game = kgb_env.game("confusion", special_actions=given)
    assert [list(seat) for seat in game.options["special_actions"]] == [list(white), list(red)]
    expected = [[token in seat for token in TOKENS] for seat in (white, red)]
    assert game.start()["tokens"][0].tolist() == expected
    assert game is kgb_env.game("confusion", special_actions=[list(white), list(red)])
    read_again = json.loads(json.dumps(game.options))
    assert kgb_env.game("confusion", **read_again) is game


def test_tokens_in_any_order_are_the_same_game():
    one = kgb_env.game("confusion", special_actions=[["swap", "reveal"], []])
    assert one is kgb_env.game("confusion", special_actions=[["reveal", "swap"], []])
    assert kgb_env.game("confusion", special_actions=[["swap", "move", "reveal"]] * 2) is kgb_env.game(
        "confusion", special_actions=True
    )


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("reveal", "special_actions='reveal'"),
        ("true", "special_actions='true'"),
        (None, "special_actions=None"),
        (1, "special_actions=1"),
        ({"white": ["reveal"]}, "special_actions={'white'"),
        ([["fly"], []], "no token 'fly'; tokens are reveal, move, swap"),
        ([["reveal"], ["Move"]], "no token 'Move'; tokens are"),
        ([[1], []], "no token 1;"),
        (["reveal", "move"], "two lists, White's and Red's"),
        ([True, False], "two lists, White's and Red's"),
        ([["reveal"]], "two lists, White's and Red's"),
        ([], "two lists, White's and Red's"),
        ([["reveal"], ["move"], ["swap"]], "two lists, White's and Red's"),
        ([[["reveal"]], []], "special_actions"),
        ([[{}], []], "special_actions"),
    ],
)
def test_bad_tokens_are_refused(given, reason):
    with pytest.raises(OptionError, match=reason):
        kgb_env.game("confusion", special_actions=given)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("value", [1, "true", None, [True]])
def test_variants_are_true_or_false(variant, value):
    with pytest.raises(OptionError, match=f"{variant}=.*boolean"):
        kgb_env.game("confusion", **{variant: value})


def test_a_variant_that_is_not_there_names_the_nearest():
    with pytest.raises(OptionError, match="did you mean 'honor_among_spies'"):
        kgb_env.game("confusion", honor_amongst_spies=True)
    with pytest.raises(OptionError, match="did you mean 'special_actions'"):
        kgb_env.game("confusion-mini", special_action=True)


# Every game


def test_it_keeps_the_contract(game):
    assert check_game(game, pairs=300, other_mode=False).pairs >= 300


def test_pettingzoos_own_tests_pass(game):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(KGBEnv(game), num_cycles=100)
    assert {str(warning.message).partition(" ")[0] for warning in caught} <= {"Observation"}  # as for any Dict
    seed_test(lambda: KGBEnv(game))


def test_agents_play_it_to_the_end(game):
    agents = {name: make_agent(game, name) for name in ("random", "greedy")}
    played = play_match(game, agents, games=20)
    assert played.games == 20
    assert set(played.reasons.tolist()) <= {1, 2, 3}
    assert (played.returns.sum(axis=1) == 0).all()
    assert ((played.returns == 0).all(axis=1) == (played.reasons == 3)).all()
    assert (played.plies <= game.max_plies).all()


@pytest.mark.parametrize("name", GAMES)
def test_kgb_show_draws_it(name):
    id, options = GAMES[name]
    flags = [word for option in options.items() for word in ("-o", f"{option[0]}={json.dumps(option[1])}")]
    for more in ([], ["--plies", "30", "--seat", "1"], ["--plies", "100000"]):
        done = CliRunner().invoke(app, ["show", id, "--seed", "7", *more, *flags])
        assert done.exit_code == 0, done.output
        assert "White's spies" in done.output
        assert ("tokens:" in done.output) or "--plies" in more or not options.get("special_actions")
    assert "has won" in done.output or "A draw: turn limit" in done.output


def test_kgb_show_refuses_in_a_line():
    for flag, reason in (("variable_setup=true", "cannot have 4 columns"), ("tight_setup=1", "boolean")):
        done = CliRunner().invoke(app, ["show", "confusion-mini", "-o", flag])
        assert done.exit_code == 2
        assert reason in done.stderr
        assert done.stderr.count("\n") == 1
