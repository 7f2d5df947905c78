"""The drawing of one component: both results as bits, their running sums, the network."""

from typing import TypedDict

from lib.discrepancy.bits import Bits, bits_of_both
from lib.discrepancy.component import Component, component_of
from lib.discrepancy.drift import DriftPicture, drift_picture
from lib.discrepancy.ends import NAMES
from lib.discrepancy.paths import Network, paths
from lib.experiment.query import Experiment


class ComponentDrawing(TypedDict):
    """What `static/component.js` is told."""

    results: Bits
    drift: DriftPicture
    network: Network


def component_and_drawing(
    experiment: Experiment, sample: int, number: int
) -> tuple[Component, ComponentDrawing]:
    """Return all about a component of a sample, and its drawing.

    Raises:
        ValueError: if the experiment has no such sample or component.
    """
    component = component_of(experiment, sample, number)
    return component, drawing_of(component)


def drawing_of(component: Component) -> ComponentDrawing:
    """Return the drawing of a component."""
    return {
        "results": bits_of_both(NAMES, component.values, component.dtype),
        "drift": drift_picture(component),
        "network": paths(component),
    }
