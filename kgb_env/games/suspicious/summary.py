"""Suspicious in words, for a player who has never heard of it: the rules, and what a seat can tell."""

from __future__ import annotations

import numpy as np

from kgb_env.game import Game
from kgb_env.games.suspicious.deck import deck_of
from kgb_env.games.suspicious.log import speakers
from kgb_env.games.suspicious.spec import CAUGHT, CLUE_1, CLUE_2, CLUES, ESCAPED, GUESS, GUESSED, LINK
from kgb_env.games.suspicious.text import QUIET_TEXT, say_verb
from kgb_env.prompt import choices_by_first_word

WORD_PHASES = (LINK, CLUE_1, CLUE_2, GUESS)
WHY_NOT = {
    LINK: "the two keywords",
    CLUE_1: "the link",
    CLUE_2: "the link, and all that was written as clue 1",
    GUESS: "",
}


def rules(game: Game) -> str:
    """Return the rules in short, with what the options change."""
    sections = {
        "Goal": _goal(game),
        "The deal and what is hidden": _deal(game),
        "A round": _round(game),
        "Points": _points(game),
        "Words": _words(game),
        "How it is written": _notation(game),
    }
    return "\n\n".join("\n".join([f"{name}:", *(f"- {line}" for line in lines)]) for name, lines in sections.items())


def _goal(game: Game) -> list[str]:
    rounds = game.options["rounds"]
    return [
        f"{game.seats} seats play {rounds} round{'s' if rounds > 1 else ''}. In each, one seat is the Director, one of "
        f"the others is the spy, and the remaining {game.seats - 2} are agents.",
        "The agents share a keyword, the spy has another one that is related to it. Nobody but the Director is told "
        "who the spy is: the spy itself does not know that it is one. Compare the clues of the others with your own "
        "keyword to find out.",
        "The agents want to stop the spy by a vote; the spy wants to look like an agent, and to learn their keyword.",
        "The first Director is drawn; then it goes round by increasing number, after the last seat comes seat 0.",
    ]


def _deal(game: Game) -> list[str]:
    if game.options["director"] == "neutral":
        who = "Chance names the spy and says the link, one of the card's link words; the Director decides nothing."
    else:
        who = (
            "The Director sees both keywords (but no clue and no vote before the others do), names the spy (any seat "
            "but its own), and says the link: any word but the keywords, which everybody hears."
        )
    return [
        "A card, a family of related nouns, is drawn from those not dealt before; from it the agents' keyword, and "
        "from the rest the spy's. " + who,
        "Each other seat sees the keyword of its role and nothing else. The card, who is the spy and the keywords "
        "become public after the round.",
    ]


def _round(game: Game) -> list[str]:
    laps = game.options["debate_rounds"]
    times = "once" if laps == 1 else f"{laps} times"
    return [
        f"All but the Director write {CLUES} clues, a word each, in the order from the seat after the Director. What "
        "is written shows when all have written that clue.",
        "Clue 1 may be any word but the link; clue 2 any word but the link and all words shown in clue 1, your own "
        "included. Your own keyword is allowed, but gives it away.",
        f"Debate, {times} in the same order: each accuses another seat, not the Director, or says nothing. Everybody "
        "hears it at once; it binds nobody.",
        "Vote: each but the Director votes for another seat, not the Director; votes show when all have voted. The "
        "seat with the most votes is stopped; in a tie nobody is.",
        "A stopped seat shows its keyword. If it is the spy, it guesses the agents' keyword once; only the very word "
        "counts.",
    ]


def _points(game: Game) -> list[str]:
    lines = [
        f"The spy is not stopped: {ESCAPED} points for the spy. Stopped, and it guesses right: {GUESSED} for the spy. "
        f"Stopped, and it guesses wrong: {CAUGHT} for each agent. The Director gets nothing.",
    ]
    if game.options["rewards"] == "zero_sum":
        lines.append(
            "What you are paid for a round are your points less the mean of all seats, the Director included: to have "
            "more than the others is what counts."
        )
    else:
        lines.append("What you are paid are your points, each one.")
    rounds = game.options["rounds"]
    return [
        *lines,
        f"After {rounds} round{'s' if rounds > 1 else ''} the match is over. Most points, all rounds together, win; "
        "seats with equal points share that.",
    ]


def _words(game: Game) -> list[str]:
    vocabulary, cards = deck_of(game).vocabulary, deck_of(game).cards
    return [
        f"Only words of a fixed vocabulary can be said, {len(vocabulary.words)} of them; {vocabulary.nouns} are nouns, "
        f"and only those can be keywords. There are {len(cards)} cards. When you choose a word, the "
        "vocabulary is listed, or you can search in it.",
    ]


def _notation(game: Game) -> list[str]:
    lines = [f"`write petal`: as a clue; `accuse 2`: seat 2; `{QUIET_TEXT}`: say nothing; `vote 2`; `guess rose`."]
    if game.options["director"] != "neutral":
        lines.append("The Director: `name 3` as the spy; `say flower` as the link.")
    lines.append("On the table `?` is something that you do not see (yet), `-` or nothing what is not there yet.")
    return lines


def knowledge(game: Game, view: np.ndarray) -> list[str]:
    """Say which part a seat has in the round, and which cards hold its keyword."""
    s, me, now = view[0], int(view["viewer"][0]), int(view["now"][0])
    if s.over:
        return []
    order = speakers(s, now, game.seats)
    director = (order[0] - 1) % game.seats
    lines = [f"- Director of this round: seat {director}; the others act in the order {', '.join(map(str, order))}."]
    if me == director:
        return [
            *lines,
            "- You are the Director: you see both keywords and know the spy, but a clue only when all have written it, "
            "and the votes when all have voted.",
        ]
    keyword = int(s.keyword[now, me])
    if keyword < 0:
        return lines
    words, told = deck_of(game).vocabulary.words, f"- Your keyword is {deck_of(game).vocabulary.words[keyword]}."
    if s.spy[now] == me:
        told += " You are the spy: it is not the agents' keyword."
    elif s.spy[now] >= 0:
        told += " You are an agent."
    elif game.options["director"] == "neutral":
        told += f" By the deal alone you are the spy with a chance of 1 in {game.seats - 1}."
    else:
        told += " The Director chose the spy: it may be you."
    dealt = set(s.card[:now].tolist())
    families = [
        card for number, card in enumerate(deck_of(game).cards) if number not in dealt and keyword in card.family
    ]
    lines += [told, "- Cards left that hold your keyword, so that the other keyword is another word of one of them:"]
    lines += [
        f"  - {', '.join(words[k] for k in card.family)}"
        + (f" (link words: {', '.join(words[k] for k in card.links)})" if card.links else "")
        for card in families
    ]
    return lines


def choices(game: Game, view: np.ndarray) -> list[str]:
    """List the legal actions; words by what is forbidden, and the vocabulary once."""
    s = view[0]
    if s.phase not in WORD_PHASES:
        return choices_by_first_word(game, view)
    vocabulary, legal = deck_of(game).vocabulary, set(game.legal(view).tolist())
    first, verb = game.actions.word.start, say_verb(int(s.phase))
    forbidden = sorted(word for place, word in enumerate(vocabulary.words) if first + place not in legal)
    assert len(forbidden) + len(legal) == len(vocabulary.words)
    but = f" but these: {', '.join(forbidden)} ({WHY_NOT[int(s.phase)]})" if forbidden else ""
    nouns, others = vocabulary.words[: vocabulary.nouns], vocabulary.words[vocabulary.nouns :]
    return [
        f"- `{verb} WORD`, with any word of the vocabulary in place of WORD{but}.",
        f"- Vocabulary, nouns (only these can be keywords): {' '.join(sorted(nouns))}",
        *([f"- Vocabulary, other words: {' '.join(sorted(others))}"] if others else []),
    ]
