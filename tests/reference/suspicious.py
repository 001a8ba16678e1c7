"""Reference engine for the word game Suspicious: plain, slow and obvious.

Written from the rulings U1-U10 (cited as `# U7`) and the rulebook only.  A game is a list of rounds, and what is asked
next follows from what is still blank in the last one.  Everything is a text: what chance brings, what a seat does.

    game = Suspicious(words, cards, players=4)
    game.play("director 2")
    game.outcomes()      # {"card 0": 1, ...} while to_move is "chance"
    game.legal()         # {"name 0", ...}, {"write petal", ...} while to_move is a seat
    game.knows(3)        # all that seat 3 knows: what it has seen of every round
"""

from collections import Counter, namedtuple
from dataclasses import dataclass, field
from fractions import Fraction

CHANCE = "chance"
PUBLIC = "public"  # asks `knows` what the whole table knows

Card = namedtuple("Card", "family links")  # words

# All that is hidden when a round begins: card, agents' word, spy's word, spy's seat.
Deal = namedtuple("Deal", "card agents spy_word spy")
UNDEALT = Deal(None, None, None, None)


@dataclass
class Round:
    director: int
    deal: Deal = UNDEALT
    link: str | None = None
    clues: tuple[dict, dict] = field(default_factory=lambda: ({}, {}))  # word by seat
    debate: list = field(default_factory=list)  # (seat, the seat accused or None)
    votes: dict = field(default_factory=dict)  # seat by seat
    stopped: int | None = None
    guess: str | None = None
    points: tuple | None = None  # of every seat, once the round is over


class Suspicious:
    def __init__(self, words, cards, players=5, *, director="player", debate_rounds=1, rounds=None, rewards="points"):
        self.words = tuple(words)
        self.cards = tuple(cards)
        self.players = players
        self.is_neutral = director == "neutral"  # U3
        self.debate_rounds = debate_rounds
        self.rounds_to_play = rounds or players * (2 if players <= 5 else 1)  # U1
        self.is_zero_sum = rewards == "zero_sum"
        self.rounds = []
        self._public = []  # the rounds that are over, as everybody has seen them
        self.to_move, self._choices = self._question()

    # What may happen, and what happens

    def outcomes(self):
        """Return the weight of each outcome of chance, which is always the same."""
        return dict.fromkeys(self._choices, 1) if self.to_move == CHANCE else {}

    def legal(self):
        """Return what the seat to move may do."""
        return set() if self.to_move == CHANCE else self._choices

    def play(self, text):
        """Apply an action or an outcome."""
        if text not in self._choices:
            raise ValueError(f"{text!r} is not possible now ({self.to_move} is to move)")
        if self.rounds:
            self._apply(text, self.to_move, self.rounds[-1])
        else:
            self.rounds.append(Round(int(text.removeprefix("director "))))
        self.to_move, self._choices = self._question()

    def _apply(self, text, mover, now):
        words = text.split()
        last = int(words[-1]) if words[-1].isdigit() else words[-1]
        match words[:-1]:
            case ["card"]:
                now.deal = now.deal._replace(card=last)
            case ["agents"]:
                now.deal = now.deal._replace(agents=last)
            case ["spy"]:
                now.deal = now.deal._replace(spy_word=last)
            case ["spy", "seat"] | ["name"]:
                now.deal = now.deal._replace(spy=last)
            case ["link"] | ["say"]:
                now.link = last
            case ["write"]:
                self._open_clues(now)[mover] = last
            case ["accuse"]:
                now.debate.append((mover, last))
            case []:  # quiet
                now.debate.append((mover, None))
            case ["vote"]:
                now.votes[mover] = last
                if self._all(now.votes):
                    now.stopped = most_voted(now.votes)
            case ["guess"]:
                now.guess = last
        if self._all(now.votes) and (now.stopped != now.deal.spy or now.guess):
            self._end_round(now)

    def _question(self):
        """Return who is to move and the texts it has to choose from."""
        if self.result:
            return None, set()
        if not self.rounds:
            return CHANCE, {f"director {seat}" for seat in range(self.players)}  # U1
        now = self.rounds[-1]
        others = self._others(now)
        if now.deal.spy is None or now.link is None:
            return self._question_of_the_deal(now, others)
        clues = self._open_clues(now)
        if clues is not None:  # U5
            said = {now.link} | (set(now.clues[0].values()) if clues is now.clues[1] else set())
            return first_missing(others, clues), {f"write {word}" for word in self.words if word not in said}
        if len(now.debate) < self.debate_rounds * len(others):  # U6
            seat = others[len(now.debate) % len(others)]
            return seat, {"quiet"} | {f"accuse {accused}" for accused in others if accused != seat}
        if not self._all(now.votes):  # U7
            seat = first_missing(others, now.votes)
            return seat, {f"vote {suspect}" for suspect in others if suspect != seat}
        return now.deal.spy, {f"guess {word}" for word in self.words}  # U8

    def _question_of_the_deal(self, now, others):
        """U2, U3."""
        card, agents, spy_word, spy = now.deal
        if card is None:
            dealt = {past.deal.card for past in self.rounds}
            return CHANCE, {f"card {number}" for number in range(len(self.cards)) if number not in dealt}
        family, links = self.cards[card]
        if agents is None:
            return CHANCE, {f"agents {word}" for word in family}
        if spy_word is None:
            return CHANCE, {f"spy {word}" for word in family if word != agents}
        if spy is None:
            if self.is_neutral:
                return CHANCE, {f"spy seat {seat}" for seat in others}
            return now.director, {f"name {seat}" for seat in others}
        sayable = [word for word in self.words if word not in (agents, spy_word)]
        if self.is_neutral:
            return CHANCE, {f"link {word}" for word in links or sayable}
        return now.director, {f"say {word}" for word in sayable}

    def _others(self, now):
        """Return all seats but the Director, from its left."""
        return [(now.director + i) % self.players for i in range(1, self.players)]

    def _all(self, answers):
        """Tell whether all seats but the Director have written or voted."""
        return len(answers) == self.players - 1

    def _open_clues(self, now):
        """Return the clues that are being written, or None after both."""
        return next((clues for clues in now.clues if not self._all(clues)), None)

    # The end of a round, of the match (U9, U10)

    def _end_round(self, now):
        agents = set(self._others(now)) - {now.deal.spy}
        if now.stopped != now.deal.spy:
            points = {now.deal.spy: 2}
        elif now.guess == now.deal.agents:
            points = {now.deal.spy: 1}
        else:
            points = dict.fromkeys(agents, 2)
        now.points = tuple(points.get(seat, 0) for seat in range(self.players))
        self._public.append(self._as_seen(now, PUBLIC))
        if len(self.rounds) < self.rounds_to_play:
            self.rounds.append(Round((now.director + 1) % self.players))

    @property
    def points(self):
        """The points of every seat so far."""
        of_rounds = [now.points for now in self.rounds if now.points]
        return tuple(sum(points[seat] for points in of_rounds) for seat in range(self.players))

    @property
    def returns(self):
        """What every seat has got so far: subtracting each round's mean is the same as subtracting the mean of all."""
        mean = Fraction(sum(self.points), self.players) if self.is_zero_sum else 0
        return tuple(points - mean for points in self.points)

    @property
    def result(self):
        """The reason and the returns by seat, once the match is over."""
        is_over = len(self.rounds) == self.rounds_to_play and self.rounds[-1].points
        return ("match over", self.returns) if is_over else None

    # Who knows what (U4, U5, U7, U8, U9)

    def knows(self, viewer):
        """Return everything that a seat, or PUBLIC, knows: a list of rounds, of which the last may be going on."""
        return [*self._public, *(self._as_seen(now, viewer) for now in self.rounds[len(self._public) :])]

    def _as_seen(self, now, viewer):
        """Return a round as a seat has seen it; what is not there or not known is None."""
        return {
            "director": now.director,
            **self._deal_as_seen(now.deal, now, viewer),
            "link": now.link,
            "clues": tuple(self._hidden_until_all(clues, viewer) for clues in now.clues),
            "debate": list(now.debate),
            "votes": self._hidden_until_all(now.votes, viewer),
            "stopped": now.stopped,
            "guess": now.guess,
        }

    def _deal_as_seen(self, deal, now, viewer):
        """Return what a seat would have seen of this deal in a round."""
        others = self._others(now)
        card, agents, spy_word, spy = deal
        knows_all = now.points is not None or viewer == now.director
        is_caught = now.stopped is not None and now.stopped == spy  # the table sees that it is asked to guess
        knows_words = knows_all or (is_caught and viewer in others and viewer != spy)  # its own is the agents'
        shown = others if knows_words else {viewer, now.stopped} & set(others)
        return {
            "card": card if knows_all else None,
            "agents": agents if knows_words else None,
            "spy_word": spy_word if knows_all or is_caught else None,
            "spy": spy if knows_all or is_caught else None,
            "keywords": {seat: keyword(deal, seat) for seat in shown if spy is not None},
        }

    def _hidden_until_all(self, answers, viewer):
        is_shown = self._all(answers)
        return {seat: answer if is_shown or seat == viewer else None for seat, answer in answers.items()}

    def deals(self, viewer):
        """Return the probability of each deal of the last round that a seat holds possible."""
        now = self.rounds[-1]
        seen = self._deal_as_seen(now.deal, now, viewer)
        weights = {
            deal: self._weight(deal, now.link)
            for deal in self._all_deals(now)
            if now.link not in (deal.agents, deal.spy_word) and self._deal_as_seen(deal, now, viewer) == seen
        }
        total = sum(weights.values())
        return {deal: weight / total for deal, weight in weights.items() if weight}

    def _all_deals(self, now):
        """Return every deal, as far as the round is dealt."""
        assert now.deal.spy_word is not None, "in the middle of a deal"
        dealt = {past.deal.card for past in self.rounds[:-1]}
        spies = self._others(now) if now.deal.spy is not None else [None]
        return [
            Deal(number, agents, spy_word, spy)
            for number, card in enumerate(self.cards)
            if number not in dealt
            for agents in card.family
            for spy_word in card.family
            if spy_word != agents
            for spy in spies
        ]

    def _weight(self, deal, link):
        """Return how likely chance makes a deal, but for a common factor, and with a neutral Director the link too."""
        family, links = self.cards[deal.card]
        weight = Fraction(1, len(family) * (len(family) - 1))
        if self.is_neutral and link is not None:
            choices = links or set(self.words) - {deal.agents, deal.spy_word}
            weight *= Fraction(link in choices, len(choices))
        return weight


def keyword(deal, seat):
    """Return the keyword that a seat has seen (U4)."""
    return deal.spy_word if seat == deal.spy else deal.agents


def first_missing(seats, answers):
    """Return the first of these seats that has not answered."""
    return next(seat for seat in seats if seat not in answers)


def most_voted(votes):
    """Return the seat with the most votes, or None if several have as many (U7)."""
    ranking = Counter(votes.values()).most_common(2)
    return None if len(ranking) == 2 and ranking[0][1] == ranking[1][1] else ranking[0][0]
