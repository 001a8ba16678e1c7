"""The words, cards and vectors of Suspicious (U2): ours are sound, and every fault in a file of one's own is named."""

import subprocess
import sys
import time
import warnings
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from kgb_env.errors import DataFileError, OptionError
from kgb_env.games.suspicious.cards import (
    BANDS,
    HIDING,
    LARGEST,
    band_of,
    parse_cards,
    share_stem,
    shipped_cards,
)
from kgb_env.games.suspicious.vectors import COMBINED, TABLES, WIDTH, read_table, shipped_table, table_for
from kgb_env.games.suspicious.vocabulary import CLASSES, NOUN, WORDS, parse_vocabulary, shipped_vocabulary

pytestmark = pytest.mark.nojit

VOCABULARY = shipped_vocabulary()
CARDS = shipped_cards()
NOUNS = ["ape", "bee", "cow", "dog", "elk", "fox", "gnu", "hen", "ibex", "jay", "koala", "lion"]
OWN = "".join(f"{word} noun\n" for word in NOUNS) + "wild adjective\nroar verb\ntame adjective\n"


def own(text=OWN):
    return parse_vocabulary(text, "mine")


def told(call, *arguments):
    """Return the lines of the error that a call raises."""
    with pytest.raises(DataFileError) as caught:
        call(*arguments)
    return str(caught.value).splitlines()


# Our own


def test_u2_the_vocabulary_is_of_the_size_and_order_promised():
    assert 1_600 <= VOCABULARY.nouns <= 1_700
    assert 550 <= len(VOCABULARY.words) - VOCABULARY.nouns <= 650
    assert VOCABULARY.classes == tuple(sorted(VOCABULARY.classes, key=CLASSES.index))
    for kind in CLASSES:
        words = [word for word, its in zip(VOCABULARY.words, VOCABULARY.classes, strict=True) if its == kind]
        assert words == sorted(words)


def test_words_that_a_filter_of_names_would_lose_are_there():
    missed = "apple ham turkey butler bell lotus angel hunter bee moss dice suit bull dirt"
    assert all(VOCABULARY.classes[VOCABULARY.index[word]] == NOUN for word in missed.split())


def test_words_are_spelt_one_way():
    doubles = "aluminium theatre labour defence centre colour neighbour flavour grey jewellery moustache pyjamas tyre"
    assert not set(doubles.split()) & set(VOCABULARY.words)


def test_u2_there_are_112_cards_that_leave_five_candidates():
    assert len(CARDS) == 112
    assert all(HIDING <= len(card.family) <= LARGEST and len(card.links) in (2, 3) for card in CARDS)
    assert set(Counter(place for card in CARDS for place in card.family).values()) == {1}


def test_u2_no_stem_is_shared_on_a_card():
    for card in CARDS:
        words = [VOCABULARY.words[place] for place in card.family + card.links]
        assert not [pair for pair in combinations(words, 2) if share_stem(*pair)]


def test_no_family_holds_two_compounds_of_one_word():
    """Like "bedroom" and "bathroom": by saying "room" one would give away nothing."""
    for card in CARDS:
        ends = Counter(end for place in card.family for end in _ends(VOCABULARY.words[place]))
        assert set(ends.values()) <= {1}


def _ends(word):
    """Return the words of four letters or more with which a word ends, itself included."""
    return {word[start:] for start in range(len(word) - 3)} & VOCABULARY.index.keys()


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_small_and_has_a_direction_for_every_word(name):
    assert (WORDS / f"{name}.npy").stat().st_size < 220 * 1024
    table = shipped_table(name)
    assert table.shape == (len(VOCABULARY.words), WIDTH)
    assert table.dtype == np.float32
    assert not table.flags.writeable
    np.testing.assert_allclose(np.linalg.norm(table, axis=1), 1, atol=1e-5)
    assert len(np.unique(table, axis=0)) == len(table)
    assert np.linalg.norm(table.mean(axis=0)) < 0.1  # centred: else all words look alike


@pytest.mark.parametrize("name", TABLES)
def test_words_of_a_family_are_nearer_than_words_of_others(name):
    table = shipped_table(name)
    within = [band for card in CARDS for band in _cosines(table[list(card.family)])]
    others = _cosines(table[[card.family[0] for card in CARDS]])
    assert np.mean(within) > np.mean(others) + 0.25
    for one, near, far in (
        ("doctor", "dentist", "volcano"),
        ("dragon", "unicorn", "salary"),
        ("bread", "cake", "judge"),
    ):
        one, near, far = (table[VOCABULARY.index[word]] for word in (one, near, far))
        assert one @ near > one @ far


def _cosines(vectors):
    return (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]


def test_the_tables_are_different_minds():
    nearest = []
    for name in TABLES:
        cosines = shipped_table(name) @ shipped_table(name).T
        np.fill_diagonal(cosines, -1)
        nearest.append(cosines.argmax(axis=1))
    for one, other in combinations(nearest, 2):
        assert (one == other).mean() < 0.6


def test_the_bands_are_what_the_vectors_say_and_all_are_used():
    assert [card.band for card in CARDS] == [band_of(card.family, shipped_table(COMBINED)) for card in CARDS]
    assert all(count >= 20 for count in Counter(card.band for card in CARDS).values())
    assert {card.band for card in CARDS} == set(BANDS)


def test_the_data_load_in_a_fifth_of_a_second():
    def load():
        start = time.perf_counter()
        for cached, arguments in (
            (shipped_vocabulary, [()]),
            (shipped_cards, [()]),
            (shipped_table, [(name,) for name in TABLES]),
        ):
            for values in arguments:
                cached.__wrapped__(*values)
        return time.perf_counter() - start

    assert min(load() for _ in range(3)) < 0.2


def test_numpy_alone_reads_the_data():
    code = """
import sys, numpy, kgb_env
before = set(sys.modules)
from kgb_env.games.suspicious.cards import shipped_cards
from kgb_env.games.suspicious.vectors import TABLES, shipped_table
shipped_cards(), [shipped_table(name) for name in TABLES]
print(*{name.partition(".")[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) <= {"kgb_env", "numpy"}


# Files of one's own


def test_a_vocabulary_of_ones_own_is_read_in_its_order():
    vocabulary = own("# mine\n\n" + OWN.replace("elk noun", "elk noun  # antlers"))
    assert vocabulary.words == (*NOUNS, "wild", "roar", "tame")
    assert vocabulary.nouns == 12
    assert vocabulary.index["wild"] == 12


def test_every_fault_of_a_vocabulary_is_named_with_its_line():
    text = OWN + "zebra noun\nwild adjective\nFull adjective\nbig\nbig number\nblorple verb\n"
    assert told(parse_vocabulary, text, "mine", [*NOUNS, "wild", "roar", "tame", "zebra"]) == [
        "mine, line 16: the noun 'zebra' follows a word of another class; nouns come first",
        "mine, line 17: 'wild' is in line 13 already",
        "mine, line 18: 'Full' is no word of 1 to 20 lower-case letters a to z",
        "mine, line 19: expected a word and its class (noun, adjective, verb), not 'big'",
        "mine, line 20: expected a word and its class (noun, adjective, verb), not 'big number'",
        "mine, line 21: 'blorple' has no vector in the tables; only words of the shipped vocabulary have one",
    ]


def test_a_vocabulary_has_room_for_a_game_and_nouns():
    assert told(own, "ape noun\n") == ["mine: number of words: 1; allowed are 12 to 4096"]
    verbs = "ape noun\n" + "".join(f"{word} verb\n" for word in NOUNS[1:])
    assert told(own, verbs) == ["mine: a vocabulary needs two nouns at least: keywords are nouns"]


def test_cards_of_ones_own_are_read():
    (card,) = parse_cards("ape bee cow dog elk fox : wild roar : close  # animals\n", "cards", own())
    assert card == ((0, 1, 2, 3, 4, 5), (12, 13), "close")
    (card,) = parse_cards("ape bee cow dog elk fox : wild roar", "cards", own())
    assert card.band == ""


def test_every_fault_of_the_cards_is_named_with_its_line():
    vocabulary = own(OWN.replace("koala noun\n", "koala noun\ndogfish noun\n"))
    text = """\
ape bee
ape wild : roar tame
bee jey : roar tame
gnu gnu hen : wild roar wild
cow : wild
dog dogfish : wild roar : near
"""
    assert told(parse_cards, text, "cards", vocabulary) == [
        "cards, line 1: expected 'NOUNS : LINKS' and perhaps ': BAND', not 'ape bee'",
        "cards, line 2: 'wild' is no noun in the vocabulary; keywords are nouns",
        "cards, line 3: 'jey' is not in the vocabulary; did you mean 'jay'?",
        "cards, line 4: 'gnu' is there twice",
        "cards, line 4: 'wild' is there twice",
        "cards, line 5: nouns: 1; a family has 2 to 8",
        "cards, line 5: link words: 1; a card has 2 or 3, or '-' for none",
        "cards, line 6: 'near' is no band (allowed: far, medium, close)",
        "cards, line 6: 'dog' and 'dogfish' share a stem",
    ]


def test_of_very_many_faults_the_first_are_named(monkeypatch):
    asked = []
    monkeypatch.setattr("difflib.get_close_matches", lambda word, *_, **__: asked.append(word) or [])
    one_long_line = f"{' '.join(f'x{k}' for k in range(3000))} : -"
    assert told(parse_cards, one_long_line, "cards", own()) == ["cards, line 1: nouns: 3000; a family has 2 to 8"]
    *named, last = told(parse_cards, "x y z : -\n" * 1000, "cards", own())
    assert named[-1] == "cards, line 5: 'y' is not in the vocabulary"
    assert (len(named), last) == (20, "and more faults")
    assert len(asked) < 30
    assert told(parse_vocabulary, "?\n" * 1000, "words")[-1] == "and more faults"


def test_a_noun_is_in_two_families_at_most():
    text = "ape bee : wild roar\nape cow : wild roar\nape dog : wild roar\n"
    assert told(parse_cards, text, "cards", own()) == ["cards, line 3: 'ape' is in more than 2 families"]


def test_a_file_without_cards_is_refused():
    assert told(parse_cards, "# nothing\n", "cards", own()) == ["cards: number of cards: 0; allowed are 1 to 256"]


def test_fixed_pairs_are_accepted_with_a_warning():
    text = "ape bee : wild roar\ncow dog elk fox gnu hen : wild roar\nibex jay : wild roar\n"
    with pytest.warns(UserWarning, match=r"cards, lines 1, 3: families of fewer than 6 nouns"):
        assert len(parse_cards(text, "cards", own())) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_cards(text.splitlines()[1], "cards", own())


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("sun", "sunshine", True),
        ("storm", "thunderstorm", True),
        ("baker", "bakery", True),
        ("ear", "bear", False),
        ("pear", "peach", False),
        ("mother", "brother", False),
    ],
)
def test_stems(one, other, shared):
    assert share_stem(one, other) is share_stem(other, one) is shared


def test_a_vocabulary_of_ones_own_takes_its_rows_from_the_tables():
    words = [VOCABULARY.words[place] for place in range(40, 20, -1)]
    vocabulary = own("".join(f"{word} noun\n" for word in words))
    table = table_for(COMBINED, vocabulary)
    np.testing.assert_array_equal(table, shipped_table(COMBINED)[40:20:-1])
    assert not table.flags.writeable
    assert table_for(COMBINED, VOCABULARY) is shipped_table(COMBINED)
    larger = own("gnu noun\nibex noun\n" + "".join(f"{word} noun\n" for word in words))
    assert told(table_for, COMBINED, larger) == ["no vector in the shipped tables for 'gnu', 'ibex'"]


def test_there_is_no_other_table():
    with pytest.raises(OptionError, match="glove, minilm, combined"):
        shipped_table("word2vec")


def test_a_table_that_does_not_fit_is_refused(tmp_path):
    path = tmp_path / "table.npy"
    path.write_text("nothing")
    assert "no readable .npy" in told(read_table, path, 3)[0]
    for wrong in (np.ones((3, 4)), np.ones((2, 4), np.int8), np.ones(3, np.int8)):
        np.save(path, wrong)
        assert "expected int8 (3, width)" in told(read_table, path, 3)[0]
    np.save(path, np.array([[1, 2], [0, 0], [3, 4]], np.int8))
    assert "row 1 is all zeros" in told(read_table, path, 3)[0]
