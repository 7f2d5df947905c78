"""What an address says beside the experiment."""

from lib.experiment.views import unfit_views


def test_only_whole_numbers_are_a_view_that_is_counted():
    fit = {"tab": "Why is 1/x off?", "look_at": "7", "trace_sample": "0", "explain": "1e999", "seed": "-1"}
    assert unfit_views(fit.items()) == set()
    unfit = {"look_at": "1e999", "trace_sample": "9" * 400, "trace_component": ""}
    assert unfit_views(unfit.items()) == unfit.keys()
