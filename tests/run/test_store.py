"""The store that viewers share: places for some runs and a queue for the others, all bounded; with a worker and a clock
that take a step when they are told to."""

import json

import pytest

from lib.derivative.study import Derivative
from lib.discrepancy.agreement import Agreement
from lib.discrepancy.controls import Controls
from lib.discrepancy.ladder import Ladder
from lib.discrepancy.remedies import Remedies
from lib.discrepancy.scaling import SAMPLES, Scaling
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.pitfall.study import Pitfall
from lib.run import store as runs_module
from lib.run.store import Runs
from lib.run.stream import Stream
from tests.outcome import command_line
from tests.stepwise import PERIOD, Counting, InOneGo, Pages, links

STAYS = 3.0 + 2.5 * PERIOD  # seconds for which a page counts as there


@pytest.fixture
def pages(stepwise):
    """Pages on links, a store with as much room as is asked for."""

    def open_pages(count, study=Counting, fields=None, **room):
        return Pages(Runs(**room), stepwise, study, links(count, **(fields or {"samples": 5})))

    return open_pages


def placed(pages):
    """The pages whose runs have places."""
    return [n for n in range(len(pages.links)) if pages.run(n) in pages.runs._places]


def ticks(pages, most=2000):
    """Ticks until all pages are finished."""
    for number in range(most):
        if not pages.open:
            return
        pages.tick()
        yield number
    pytest.fail(f"not finished after {most} ticks: {pages.shown}")


def queue(pages):
    return [pages.runs.before(pages.run(n)) for n in range(len(pages.links))]


def test_two_viewers_of_one_experiment_share_one_run():
    runs, experiment = Runs(), Experiment(samples=30)
    assert runs.get(Counting, experiment) is runs.get(Counting, Experiment.parse("samples=30"))
    assert runs.get(Counting, Experiment(samples=31)) is not runs.get(Counting, experiment)
    assert runs.get(InOneGo, experiment) is not runs.get(Counting, experiment)


def test_at_three_times_the_capacity_all_finish_in_turn_with_the_figures_of_the_command_line(pages):
    at = pages(30, Discrepancy, {"samples": 6}, most_runs=10)
    at.tick()
    assert placed(at) == list(range(10)) and queue(at)[10:] == list(range(20))
    at.tick_until_all_are_finished()
    assert at.begun() == list(range(30))
    for shown in at.shown:
        assert shown == sorted(shown), "none starts anew"
    printed = command_line(experiment.query for experiment in at.links)
    for number, experiment in enumerate(at.links):
        figures = json.loads(json.dumps(at.last[number].tally.figures()))
        assert figures["samples"] == 6
        assert {name: printed[experiment.query][name] for name in figures} == figures


def test_a_run_that_is_watched_is_never_dropped_however_many_are_asked_for(pages):
    at = pages(40, most_runs=3, fields={"samples": 100})
    at.tick(range(3))
    watched = [at.run(n) for n in range(3)]
    for _ in range(10):
        for number in range(3, 40):
            at.run(number)  # a look is no request
        at.tick(range(3))
    assert [at.run(n) for n in range(3)] == watched and len(at.runs) == 6 + 1 - 1
    assert [shown[-1] for shown in at.shown[:3]] == [10, 10, 10]


def test_those_for_which_there_is_no_place_wait_in_the_order_in_which_they_came(pages):
    at = pages(5, most_runs=2)
    at.tick([3, 1, 4, 0, 2])
    assert placed(at) == [1, 3]
    assert queue(at) == [1, None, 2, None, 0]
    at.tick([0, 4, 2, 1, 3])  # the order of the requests no longer matters
    assert queue(at) == [1, None, 2, None, 0]
    at.tick_until_all_are_finished()
    assert at.begun() == [1, 3, 0, 4, 2]
    assert queue(at) == [None] * 5


def test_who_waits_gets_the_place_of_a_finished_run_at_once_though_its_viewers_still_look(pages):
    at = pages(2, most_runs=1)
    for _ in range(5):
        at.tick()
    assert at.run(0).finished and at.run(0).watched
    assert placed(at) == [1] and at.run(1).at_work


def test_a_finished_run_is_kept_until_its_viewers_have_drawn_it(pages):
    at = pages(9, most_runs=1, fields={"samples": 1})
    at.tick([0])
    finished = at.run(0)
    assert finished.finished
    for number in range(1, 9):
        at.tick([number])
    assert at.run(0) is finished
    at.clock.now += STAYS
    for number in range(1, 9):
        at.tick([number])
    assert at.run(0) is not finished


def test_a_run_that_finished_cannot_be_watched_for_ever(pages):
    at = pages(1, fields={"samples": 1})
    at.tick()
    for _ in range(int(STAYS / PERIOD) + 1):
        at.tick([0]) if 0 in at.open else at.run(0).request(PERIOD)
        at.clock.now += PERIOD
    assert not at.run(0).watched


def test_finished_runs_are_dropped_before_others_and_the_least_recently_asked_for_first(pages):
    at = pages(3, most_runs=2)
    at.tick([0])  # stopped
    at.open.remove(0)
    at.tick_until_all_are_finished()
    at.clock.now += STAYS
    runs = [at.run(n) for n in (2, 1, 0)][::-1]
    stopped, first, second = runs
    assert first.finished and second.finished and not stopped.finished and not stopped.watched
    for seed in (3, 4):
        at.runs.get(Counting, Experiment(seed=seed))
    assert len(at.runs) == 4 and at.run(0) is stopped
    assert at.run(1) is first and at.run(2) is not second


def test_a_run_that_nobody_watches_gives_its_place_to_one_that_waits_and_goes_on_later(pages):
    at = pages(2, most_runs=1)
    at.tick([0])
    at.tick([0])
    at.tick([1])
    assert placed(at) == [0]
    at.clock.now += STAYS
    at.tick([1])
    assert placed(at) == [1] and at.run(0).nbytes == 1
    at.tick_until_all_are_finished()
    assert at.shown[0] == sorted(at.shown[0]) and at.last[0].tally.seen == tuple(range(5))


def test_a_paused_run_keeps_its_place_until_another_needs_it(pages):
    at = pages(2, most_runs=1)
    at.tick([0])
    at.run(0).release()
    at.runs.worker.work()
    at.clock.now += 10 * STAYS
    assert placed(at) == [0] and not at.run(0).at_work and at.run(0).tally.samples == 2
    at.tick([1])
    assert placed(at) == [1] and at.run(0).tally.samples == 2


def test_a_waiter_whose_viewer_has_left_is_dropped_from_the_queue(pages):
    at = pages(4, most_runs=1, fields={"samples": 100})
    at.tick()
    assert queue(at) == [None, 0, 1, 2]
    for _ in range(int(STAYS / PERIOD) + 1):
        at.tick([0, 2, 3])
    assert queue(at) == [None, None, 0, 1]
    at.tick([1])
    assert queue(at) == [None, 2, 0, 1]


def test_one_viewer_of_several_who_leaves_does_not_end_the_waiting(pages):
    at = pages(2, most_runs=1, fields={"samples": 100})
    at.tick([0, 1, 1])
    for _ in range(30):
        at.tick([0, 1])
    assert queue(at) == [None, 0]


def test_the_queue_is_bounded_and_says_so(pages):
    at = pages(6, most_runs=1, most_waiting=2)
    at.tick()
    assert [at.last[n].refused for n in range(6)] == [False, False, False, True, True, True]
    assert queue(at) == [None, 0, 1, None, None, None]
    kept = at.run(3)
    kept.request(PERIOD)
    assert kept.refused and at.runs.before(kept) == 2
    assert len(at.runs) <= 2 + 2  # twice the places, and the queue
    at.tick_until_all_are_finished()
    assert sorted(at.begun()) == list(range(6))
    assert not any(at.last[n].refused for n in range(6))


def test_memory_is_bounded_by_numbers_whatever_is_asked_for(pages):
    at = pages(200, most_runs=3, most_waiting=5)
    for number in range(200):
        at.tick([number])
        assert len(at.runs) <= 2 * 3 + 5


def test_who_holds_a_place_for_a_term_steps_back_behind_those_who_wait(pages, monkeypatch):
    monkeypatch.setattr(runs_module, "_TERM", 4 * PERIOD)
    at = pages(5, most_runs=2, fields={"samples": 10**6})
    turns = []
    for _ in range(30):
        at.tick()
        turns.append(placed(at))
    assert turns[0] == [0, 1] and {n for turn in turns for n in turn} == set(range(5))
    got = [sum(n in turn for turn in turns) for n in range(5)]
    assert max(got) - min(got) <= 5, "as much for each"
    for number, shown in enumerate(at.shown):
        assert shown == sorted(shown) and at.run(number).tally.seen == tuple(range(at.run(number).tally.samples))


def test_a_term_is_over_to_the_second(pages):
    at = pages(2, most_runs=1, fields={"samples": 10**6})
    at.tick()
    for now, holder in ((159.5, 0), (160.0, 1)):
        at.clock.now = now
        for number in range(2):
            at.run(number).request(1000.0)
        at.runs.worker.work()
        assert placed(at) == [holder]


def test_without_anybody_waiting_a_run_keeps_its_place_for_good(pages, monkeypatch):
    monkeypatch.setattr(runs_module, "_TERM", PERIOD)
    at = pages(2, most_runs=2, fields={"samples": 100})
    for _ in range(20):
        at.tick()
        assert placed(at) == [0, 1]
    assert [shown[-1] for shown in at.shown] == [19, 19]


def test_the_store_is_bounded_by_memory_and_the_newest_wait(pages):
    at = pages(6, fields={"samples": 5, "inputs": 10}, most_bytes=250)  # 100 for each study and a little for tallies
    most = 0
    for _ in ticks(at):
        most = max(most, sum(at.run(n).holds_study for n in range(6)))
        assert sum(run.nbytes for run in at.runs._runs.values()) <= 250 + 101
    assert most == 2
    assert at.begun()[:2] == [0, 1] and at.begun() == list(range(6))
    assert all(shown == sorted(shown) for shown in at.shown)


def test_what_is_kept_and_what_is_to_come_are_added_up():
    runs = Runs(most_runs=2, most_bytes=250)
    runs.get(Counting, Experiment()).nbytes = 100
    assert not runs._overfull(150) and runs._overfull(151)
    assert not runs._overfull(runs=3) and runs._overfull(runs=4)  # of twice as many runs as places


def test_who_gets_the_place_of_a_finished_run_takes_the_room_of_one_that_nobody_watches(pages):
    at = pages(5, most_runs=2)
    at.links = [Experiment(seed=seed, samples=samples) for seed, samples in enumerate((1, 1, 100, 2, 2))]
    at.tick([0, 1])
    at.tick([2, 3, 4])
    for number in (2, 3, 4):
        at.last[number].request(1000.0)
    at.clock.now += STAYS  # nobody watches the two that are finished any more
    assert len(at.runs) == 5 and placed(at) == [2, 3]
    at.runs.worker.work()  # 3 finishes
    assert at.last[4].at_work and [run.experiment.seed for run in at.runs._runs.values()] == [1, 2, 3, 4]


def test_a_run_whose_needs_are_known_is_not_measured_before_there_is_room_for_them(pages):
    class Noting(Counting):
        def measure(self, number, deadline):
            beside[number].append(sum(run.holds_study for run in at.runs._runs.values()))
            return super().measure(number, deadline)

    beside = [[] for _ in range(5)]
    at = pages(3, Noting, {"samples": 5, "inputs": 10}, most_bytes=150)
    at.tick_until_all_are_finished()
    assert beside == [[1, 2, 2], *[[1, 1, 1]] * 4]  # until their first sample the other two do not know what they need


def test_where_studies_grow_the_newest_step_back_one_by_one(pages):
    class Growing(Counting):
        def measure(self, number, deadline):
            self.nbytes = 10 * (number + 1)
            return super().measure(number, deadline)

    at = pages(3, Growing, {"samples": 12}, most_bytes=100)
    held = []
    for _ in ticks(at):
        if placed(at) not in held:
            held.append(placed(at))
        assert sum(run.nbytes for run in at.runs._runs.values()) <= 100 + 3 * 10
    assert held[:3] == [[0, 1, 2], [0, 1], [0]]
    assert all(at.last[n].tally.seen == tuple(range(12)) for n in range(3))


def test_a_run_that_needs_all_the_memory_alone_is_measured_alone(pages, monkeypatch):
    monkeypatch.setattr(runs_module, "_TERM", 4 * PERIOD)
    at = pages(3, fields={"samples": 50, "inputs": 10}, most_bytes=50)
    for _ in ticks(at):
        assert sum(at.run(n).holds_study for n in range(3)) <= 1
    assert all(at.run(n).tally.seen == tuple(range(50)) for n in range(3))


def test_tallies_that_nobody_watches_leave_for_those_at_work(pages):
    at = pages(30, fields={"samples": 1}, most_bytes=25)
    for number in range(30):
        at.tick([number])
        at.clock.now += STAYS
        assert sum(run.nbytes for run in at.runs._runs.values()) <= 25


def test_a_study_in_one_go_keeps_its_memory_after_a_term_and_begins_anew_for_lack_of_memory(pages, monkeypatch):
    monkeypatch.setattr(runs_module, "_TERM", 2 * PERIOD)
    at = pages(3, InOneGo, {"samples": 9}, most_runs=1)
    at.tick_until_all_are_finished()
    assert all(shown == sorted(shown) for shown in at.shown)
    assert all(at.run(n).tally.seen == tuple(range(9)) for n in range(3))

    at = pages(3, InOneGo, {"samples": 9, "inputs": 10}, most_bytes=120)
    for _ in ticks(at):
        assert len(placed(at)) <= 1
    assert all(at.run(n).tally.seen == tuple(range(9)) for n in range(3))


@pytest.mark.parametrize(
    ("study", "query"),
    [
        (Discrepancy, "samples=30"),
        (Discrepancy, "samples=1000&networks=each-block&evaluation=batched"),
        (Pitfall, "samples=20"),
        (Derivative, f"samples={2**16 + 5}"),
        (Ladder, "samples=12"),
        (Agreement, "samples=5"),
        (Controls, "samples=5"),
        (Remedies, "samples=5"),
    ],
)
def test_a_run_that_steps_back_again_and_again_has_the_tally_of_one_that_does_not(study, query, pages, monkeypatch):
    monkeypatch.setattr(runs_module, "_TERM", 0.0)
    at = pages(2, study, {}, most_runs=1)
    at.links = [Experiment.parse(query), Experiment.parse(query + "&seed=7")]
    held = []
    for _ in ticks(at):
        held.append(placed(at))
    assert [0] in held and [1] in held and len(held) > 4
    for number, experiment in enumerate(at.links):
        assert at.run(number).tally == Stream(study(experiment)).finish()


def test_a_run_that_failed_frees_its_place_and_memory(pages):
    class Failing(Counting):
        def measure(self, number, deadline):
            if self.experiment.seed == 0:
                raise RuntimeError("no")
            return super().measure(number, deadline)

    at = pages(2, Failing, most_runs=1)
    at.tick_until_all_are_finished()
    assert at.run(0).error and at.run(0).nbytes == 1
    assert at.run(1).tally.samples == 5
    at.clock.now += STAYS
    at.runs.forget(Failing, at.links[0])
    assert at.run(0).error is None


def test_a_run_that_is_left_stops_after_its_slice_and_its_place_is_free(pages):
    at = pages(2, most_runs=1)
    at.tick([0, 1])
    left = at.run(0)
    at.runs.forget(Counting, at.links[0])
    for _ in range(5):
        at.tick([1])
    assert left.tally.samples == 1 and not left.holds_study and not left.at_work
    assert at.run(1).tally.samples >= 4
    left.request(PERIOD)  # by a page that has not asked for the new one yet
    assert at.run(0) is left or not left.at_work


def test_a_changed_experiment_leaves_the_queue_and_joins_it_anew(pages):
    at = pages(4, most_runs=1, fields={"samples": 100})
    at.tick([0, 1, 2])
    for _ in range(int(STAYS / PERIOD) + 1):
        at.tick([0, 2, 3])  # the page of 1 shows 3 from now on
    assert queue(at) == [None, None, 0, 1]


def test_an_experiment_that_was_dropped_gives_the_same_figures_again(pages):
    at = pages(4, Discrepancy, {"samples": 6}, most_runs=1)
    at.tick_until_all_are_finished()
    before = at.last[0]
    assert at.run(0) is not before
    at.open = [0]
    at.tick_until_all_are_finished()
    assert at.run(0).tally == before.tally and before.tally.samples == 6


def test_slices_are_shorter_where_more_runs_are_at_work(monkeypatch):
    runs = Runs()
    turns = []
    for at_work in (0, 1, 3, 6, 100):
        monkeypatch.setattr(Runs, "at_work", at_work)
        turns.append(runs.turn())
    assert turns == pytest.approx([0.1, 0.1, 0.1, 0.05, 0.01])


def test_those_at_work_are_counted(pages):
    at = pages(5, most_runs=3)
    assert at.runs.at_work == 0
    at.tick()
    assert at.runs.at_work == 3


def test_the_bounds_of_a_server():
    runs = Runs()
    assert (runs._most_runs, runs._most_bytes, runs._most_waiting) == (100, 100_000_000, 1000)
    assert runs_module._TERM == 60.0 and SAMPLES and Scaling.total(Experiment())
