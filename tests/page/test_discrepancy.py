"""The first tab: the page shows the figures that the library gives."""

from dataclasses import replace

import pytest

from lib.experiment.query import PRESETS, Experiment
from tests.cases import EVERY_DTYPE, EVERY_METHOD
from tests.page.visiting import SECTIONS, assert_shows, chosen, figures, visit, watch

EXPERIMENTS = [
    *(Experiment(method=method, samples=50) for method in EVERY_METHOD),
    *(Experiment(dtype=dtype, method="jacrev", samples=50) for dtype in EVERY_DTYPE),
    *(Experiment(evaluation="batched", dtype=dtype, samples=5000) for dtype in EVERY_DTYPE),
    Experiment(inputs=1, hidden=(), outputs=1, output_activation="identity", samples=1),
    *(replace(preset, samples=min(preset.samples, 300)) for preset in PRESETS.values()),
    PRESETS["a million samples"],
]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.query)
def test_shows_the_figures_that_the_library_gives(experiment):
    at = watch(visit(f"{experiment.query}&{SECTIONS}"))
    assert not at.error and not at.warning
    assert chosen(at) == experiment
    assert_shows(at, figures(experiment), experiment)
