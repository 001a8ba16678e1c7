"""The posterior: the rulebook's sample list (D16), brute force over all histories, and whether it comes true."""

import numpy as np
import pytest

import kgb_env
from agents import make_agent
from agents.double_agent import thoughts
from agents.double_agent.posterior import (
    LEAST_RATE,
    MEMORY,
    believe,
    inform,
    information_of,
    make_model,
    note_inspection,
    note_reading,
    posterior_if,
    posterior_of,
    read_list,
    weigh,
)
from experiments.match import decisions
from kgb_env.games.double_agent.boards import names_of
from kgb_env.games.double_agent.spec import OFF, ON, SEAT, SEAT_BITS, SEATS, SECURITY_AGENT
from tests.double_agent.positions import MONITORS, dealt, inspected, own_game, run, standing, thrown
from tests.double_agent.test_worlds import ME, C, D, R, after, random_list
from tests.random_play import random_states

pytestmark = pytest.mark.nojit
RATES = (0.5, 0.1, 0.8)


@pytest.fixture
def camp(tmp_path):
    return own_game(tmp_path)


def believed(game, record, seat, rate=0.5):
    """Return what a seat must believe, as the kernels leave it in their memory."""
    memory, model = np.zeros(1, MEMORY), make_model(rate)
    believe(record[0], seat, memory[0], model[0], game.tables[0])
    return memory[0]


def code_of(game, sector):
    return names_of(game).sectors[sector]


# D16


def sample(text):
    """Return what I must believe after my own entry of the sample list: chances by seat, and by code of the opening."""
    game, view = after(text)
    m = believed(game, view, ME)
    codes, openings = names_of(game).sectors, m.joint.sum(axis=0)
    suspects = {seat: float(m.posterior[seat]) for seat in np.flatnonzero(m.posterior).tolist()}
    return suspects, {codes[sector]: float(openings[sector]) for sector in np.flatnonzero(openings)}


def shares(**weights):
    """Return chances by seat in these proportions."""
    seats, total = {"R": R, "C": C, "D": D}, sum(weights.values())
    return {seats[name]: pytest.approx(weight / total, abs=1e-12) for name, weight in weights.items()}


def test_d16_security_building_off_is_the_opening_play():
    suspects, openings = sample("(SEC OFF)")
    assert openings == {"SEC": pytest.approx(1)}
    assert suspects == shares(R=1, C=1, D=1)


def test_d16_garden_on_makes_its_visitors_less_likely():
    """R and C have been there, once each; the Double Agent would have spared it half of the time."""
    assert sample("(GAR ON)")[0] == shares(R=0.5, C=0.5, D=1)


def test_d16_gymnasium_off_leaves_c_d_and_r():
    """R and C have also spared the Terrace; of the Gymnasium's inspections R made two, C and D one each."""
    suspects, openings = sample("(GYM OFF)")
    assert openings == {"SEC": pytest.approx(1)}
    assert suspects == shares(R=0.25 * 0.75, C=0.25 * 0.5, D=0.5)


def test_d16_garden_off_leaves_r_and_c():
    assert sample("(GAR OFF)")[0] == shares(R=0.25 * 0.75 * 0.5, C=0.25 * 0.5 * 0.5)


def test_d16_terrace_on_might_eliminate_c_but_not_necessarily():
    assert sample("(TER ON)")[0] == shares(R=0.25 * 0.75 * 0.5, C=0.25 * 0.5 * 0.5 * 0.5)


def test_d16_power_plant_off_leaves_r_alone():
    suspects, openings = sample("(POW OFF)")
    assert suspects == {R: 1.0}
    assert openings == {"SEC": pytest.approx(1)}


# Brute force


def histories(entries, suspect, off, rate, weight=1.0):
    """Yield all secret histories of a list that agree with its readings: the weight, and which monitors are OFF then.

    Args:
        entries: (sector, inspector, what the seat read there or None) each.
        suspect: who sabotages what it inspects with this rate.
        off: which monitors are OFF at the start.
    """
    if not entries:
        yield weight, off
        return
    (sector, inspector, read), *rest = entries
    if read is not None:
        if read == (OFF if sector in off else ON):
            yield from histories(rest, suspect, off, rate, weight)
    elif inspector != suspect or sector in off:
        yield from histories(rest, suspect, off, rate, weight)
    else:
        yield from histories(rest, suspect, off, rate, weight * (1 - rate))
        yield from histories(rest, suspect, off | {sector}, rate, weight * rate)


def entries_of(record, seat):
    """Return the Security List of a seat, whose readings the record shows."""
    listed = zip(record["security_list"][0].tolist(), record["found"][0].tolist(), strict=True)
    pairs = list(listed)[: record["listed"][0]]
    return [
        (entry >> SEAT_BITS, entry & SEAT, (OFF if found != ON else ON) if entry & SEAT == seat else None)
        for entry, found in pairs
    ]


def suspects_of(game, record, seat):
    is_cleared = record["out"][0].astype(bool) | record["exposed"][0].astype(bool)
    return [other for other in range(game.seats) if other != seat and not is_cleared[other]]


def brute_force(game, record, seat, rate, more=()):
    """Return the joint chances of suspect and opening, those of suspect and monitor being OFF, and the likelihood."""
    monitors = np.flatnonzero(game.tables[0].has_monitor).tolist()
    suspects, joint = suspects_of(game, record, seat), np.zeros((SEATS, 18))
    off_with, entries = np.zeros((SEATS, 18)), [*entries_of(record, seat), *more]
    for suspect in suspects:
        for opening in monitors:
            for weight, off in histories(entries, suspect, frozenset({opening}), rate):
                weight /= len(monitors) * len(suspects)
                joint[suspect, opening] += weight
                off_with[suspect, sorted(off)] += weight
    return joint / joint.sum(), off_with / joint.sum(), joint.sum()


def assert_is_that_of_brute_force(game, record, seat, rate):
    joint, off_with, likelihood = brute_force(game, record, seat, rate)
    m = believed(game, record, seat, rate)
    posterior = joint.sum(axis=1)
    np.testing.assert_allclose(m.joint, joint, atol=1e-9, rtol=0)
    np.testing.assert_allclose(m.posterior, posterior, atol=1e-9, rtol=0)
    np.testing.assert_allclose(m.off, off_with.sum(axis=0), atol=1e-9, rtol=0)
    np.testing.assert_allclose(m.off_if * posterior[:, None], off_with, atol=1e-9, rtol=0)
    assert m.likelihood == pytest.approx(likelihood, rel=1e-9)
    return posterior


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_posterior_is_that_of_brute_force(camp, first):
    """For the viewer's own list, and for all Security Agents' lists as the Double Agent sees them."""
    certain = 0
    for seed in range(first, first + 50):
        states, view = random_list(camp, seed, length=seed % 17)
        rate, double_agent = RATES[seed % 3], int(states["role"][0].argmax())
        if seed % 5 == 0:  # somebody has accused wrongly
            cleared = [seat for seat in range(4) if seat != double_agent]
            for record in (states, view):
                record["out"][0, cleared[seed % 3]] = record["exposed"][0, cleared[(seed + 1) % 3]] = 1
        certain += assert_is_that_of_brute_force(camp, view, int(view["viewer"][0]), rate).max() == 1
        of_double_agent = camp.view(states, double_agent)
        for seat in range(4):
            if seat != double_agent:
                assert_is_that_of_brute_force(camp, of_double_agent, seat, rate)
    assert certain < 50


def test_in_whole_games_on_the_small_board():
    """Views from play, accusations and all."""
    game, checked = kgb_env.game("double_agent-mini", max_turns=8), 0
    for seed in range(10):
        for states in list(random_states(game, seed))[:-1:6]:
            for seat in np.flatnonzero(states["role"][0, : game.seats] == SECURITY_AGENT).tolist():
                if states["listed"][0] <= 14:
                    assert_is_that_of_brute_force(game, game.view(states, seat), seat, 0.5)
                    checked += 1
    assert checked > 60


# Other seats, roles and ends


@pytest.mark.parametrize("options", [{}, {"players": 6}, {"deluxe": True}], ids=["four", "six", "deluxe"])
def test_the_double_agent_knows_what_every_security_agent_must_believe(options):
    game = kgb_env.game("double_agent", **options)
    memory, posterior = np.zeros(1, MEMORY), np.zeros(SEATS)
    model, compared = make_model(0.3), 0
    for states in list(random_states(game, seed=3))[::25]:
        double_agent = int(states["role"][0].argmax())
        for seat in set(range(game.seats)) - {double_agent}:
            found = []
            for record in (game.view(states, seat), game.view(states, double_agent), states):
                posterior_of(record[0], seat, posterior, memory[0], model[0], game.tables[0])
                found.append(posterior.tobytes())
                assert posterior.sum() == pytest.approx(1)
                assert posterior[double_agent] > 0
            assert len(set(found)) == 1
            compared += 1
    assert compared > 20


def test_the_double_agent_is_certain(camp):
    states, _ = random_list(camp, 2, length=12)
    double_agent = int(states["role"][0].argmax())
    m = believed(camp, camp.view(states, double_agent), double_agent)
    assert m.posterior[double_agent] == m.posterior.sum() == 1
    assert m.joint[double_agent, states["opening"][0] - 1] == 1
    assert (m.off == (states["monitor"][0] == OFF)).all()


def test_the_last_two_know_each_other(camp):
    states, view = random_list(camp, 4, length=5)
    viewer, double_agent = int(view["viewer"][0]), int(states["role"][0].argmax())
    view["out"][0, [seat for seat in range(4) if seat not in (viewer, double_agent)]] = 1
    assert believed(camp, view, viewer).posterior[double_agent] == 1


def test_at_the_end_all_is_known(camp):
    """D13: the roles and the monitors are public then; brute force with the monitors read once more."""
    states, _ = random_list(camp, 50, length=8)
    double_agent = int(states["role"][0].argmax())
    viewer = (double_agent + 1) % 4
    cells = {double_agent: "f4", viewer: "h4"}
    states = run(camp, thrown(standing(camp, states, cells), viewer, 8), f"accuse {double_agent}")
    assert states["over"][0]
    for seat in set(range(4)) - {double_agent}:
        view = camp.view(states, seat)
        m = believed(camp, view, seat)
        more = [(k, seat, int(c)) for k, c in enumerate(states["monitor"][0].tolist()) if c]
        joint, _, _ = brute_force(camp, view, seat, 0.5, more)
        assert m.posterior[double_agent] == 1
        assert (m.off == (states["monitor"][0] == OFF)).all()
        np.testing.assert_allclose(m.joint[double_agent], joint[double_agent] / joint[double_agent].sum(), atol=1e-9)


# What further entries would tell


@pytest.mark.parametrize("seed", range(12))
def test_further_entries_count_as_if_they_were_listed(camp, seed):
    states, view = random_list(camp, 400 + seed, length=4 + seed)
    seat, double_agent = int(view["viewer"][0]), int(states["role"][0].argmax())
    memory, model, sector = np.zeros(1, MEMORY), make_model(), seed % 4
    read_list(view[0], seat, memory[0], camp.tables[0])
    note_inspection(double_agent, sector, memory[0])
    weigh(memory[0], model[0], camp.tables[0])
    later = inspected(camp, states, f"{double_agent} {MONITORS[sector]}")
    assert memory[0].joint.tobytes() == believed(camp, camp.view(later, seat), seat).joint.tobytes()
    is_off = bool(later["monitor"][0, sector] == OFF)
    note_reading(sector, is_off, memory[0])
    weigh(memory[0], model[0], camp.tables[0])
    later = inspected(camp, later, f"{seat} {MONITORS[sector]}")
    assert memory[0].joint.tobytes() == believed(camp, camp.view(later, seat), seat).joint.tobytes()


@pytest.mark.parametrize("seed", range(12))
def test_a_reading_tells_what_brute_force_says(camp, seed):
    _, view = random_list(camp, 500 + seed, length=4 + seed)
    seat, after_it, told = int(view["viewer"][0]), np.zeros(SEATS), 0.0
    m = believed(camp, view, seat)
    before, _, likelihood = brute_force(camp, view, seat, 0.5)
    sector = seed % 4
    for is_off in (False, True):
        with np.errstate(invalid="ignore"):
            joint, _, both = brute_force(camp, view, seat, 0.5, [(sector, seat, OFF if is_off else ON)])
        chance = posterior_if(sector, is_off, after_it, m)
        assert chance == pytest.approx(both / likelihood)
        if both:
            np.testing.assert_allclose(after_it, joint.sum(axis=1), atol=1e-9)
            told += chance * (entropy(before.sum(axis=1)) - entropy(after_it))
        else:
            assert (after_it == m.posterior).all()
    assert information_of(sector, m) == pytest.approx(told, abs=1e-9)
    memory = np.array([m], MEMORY)
    inform(memory[0])
    assert memory[0].told[sector] == information_of(sector, m)


def entropy(chances):
    chances = chances[chances > 0]
    return -(chances * np.log2(chances)).sum()


def test_what_cannot_be_leaves_all_suspects_alike(camp):
    """As after a reading that a caller made up."""
    states = dealt(camp, double_agent=1)
    memory, model = np.zeros(1, MEMORY), make_model()
    read_list(states[0], 0, memory[0], camp.tables[0])
    for is_off in (False, True):  # nobody was there in between
        note_reading(0, is_off, memory[0])
    weigh(memory[0], model[0], camp.tables[0])
    assert memory[0].likelihood == 0
    assert memory[0].posterior[: camp.seats].tolist() == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_a_rate_makes_nothing_certain(camp, rate):
    """It is kept from 0 and 1, and the longest lists do not underflow."""
    assert make_model(rate)[0].rate in (LEAST_RATE, 1 - LEAST_RATE)
    states = dealt(camp, double_agent=1)
    for k in range(60):
        states = inspected(camp, states, *(f"{seat} {MONITORS[k % 4]}" for seat in (1, 2, 3, 0)))
    m = believed(camp, states, 0, rate)
    assert m.likelihood > 0
    assert m.posterior[1:4].tolist() == pytest.approx([1 / 3] * 3)


# Calibration


def test_beliefs_are_calibrated_in_play():
    """A sample of `kgb calibrate double_agent --agent "rate(p=0.5)"`."""
    from experiments.calibration import calibrate

    result = calibrate(kgb_env.game("double_agent"), "rate(p=0.5)", games=8, seed=1)
    assert sum(row.size for row in result.bins) > 2000
    assert result.deviation < 0.12


def test_beliefs_and_facts_fit_together():
    game = kgb_env.game("double_agent", players=5, max_turns=15)
    agent = make_agent(game, "rate")
    for states, _ in decisions(game, agent, 7):
        if not states["over"][0]:
            seats = states["to_move"].astype(np.int64)
            beliefs, facts = agent.beliefs(game.view(states, seats)), agent.facts(states, seats)
            assert beliefs.shape == facts.shape == (1, 5)
            assert beliefs.sum() == pytest.approx(1)
            assert (beliefs[facts] > 0).all()


# Tables


def test_tables_say_what_is_believed():
    game, view = after("(GAR OFF)")
    listed, suspects, monitors = thoughts.explain(game, view, make_model())
    assert ("GAR  2:1 3:2 10:(ON) 11:1 23:2 26:(OFF)",) in listed.rows
    assert suspects.rows[ME][1] == "."
    assert [suspects.rows[seat][1] for seat in (R, C, D)] == ["60", "40", "."]
    assert [row[1:3] for row in monitors.rows if row[0] == "GAR"] == [("OFF", "100")]
    assert all(len(row) == len(table.columns) for table in (listed, suspects, monitors) for row in table.rows)
