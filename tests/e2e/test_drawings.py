"""Each drawing reads what its type promises, and nothing that is not there."""

import json
from collections.abc import Callable
from typing import Any, get_type_hints

from lib.batch.drawing import BatchDrawing, batch_drawing
from lib.batch.example import example
from lib.batch.find_example import first_example
from lib.derivative.drawing import DerivativeDrawing, derivative_drawing
from lib.derivative.explanation import explain
from lib.discrepancy.drawing import ComponentDrawing, component_and_drawing
from lib.discrepancy.small_example import SmallExample, small_example
from lib.experiment.query import Experiment
from lib.page.drawings import version
from lib.paste.answer import answer
from lib.paste.picture import OwnDrawing, drawing
from lib.pitfall.merging import PitfallDrawing, drawings, first_sample

DEFAULT = Experiment()

DRAWINGS: dict[str, tuple[type, Callable[[], Any]]] = {
    "component": (ComponentDrawing, lambda: component_and_drawing(DEFAULT, 0, 1)[1]),
    "small_example": (SmallExample, small_example),
    "pitfall": (PitfallDrawing, lambda: drawings(first_sample(DEFAULT), DEFAULT, (1, 2))),
    "own": (OwnDrawing, lambda: drawing(answer("0.5 0.50000006", "float32"))),
    "batch": (BatchDrawing, lambda: batch_drawing(example(DEFAULT, first_example(DEFAULT, 16)))),
    "derivative": (
        DerivativeDrawing,
        lambda: derivative_drawing(explain("1/x", 1.5, "float32"), DEFAULT, "-1/x**2"),
    ),
}
"""The drawings, each with its type and an example."""

READ = """async ([module, name, data]) => {
  const read = new Set();
  const watch = (value, path) => {
    if (typeof value !== 'object' || value === null) return value;
    return new Proxy(value, {get(target, key) {
      const part = target[key];
      if (typeof key !== 'string' || typeof part === 'function') return part;
      const next = Array.isArray(target) ? path : path ? `${path}.${key}` : key;
      if (!Array.isArray(target)) read.add(next);
      return watch(part, next);
    }});
  };
  const {draw} = await import(module);
  const parentElement = document.body.appendChild(document.createElement('div'));
  parentElement.innerHTML = `<div class="drawing ${name}" style="width: 900px"></div>`;
  draw({parentElement, data: watch(data, ''), setTriggerValue: () => {}, setStateValue: () => {}});
  return [...read];
}"""
"""In the page: draws something, and returns the paths of what was read of its data."""


def paths(data: Any, path: str = "") -> set[str]:
    """The paths of all that there is in some data; the parts of a list share one."""
    if isinstance(data, list | tuple):
        return set().union(*(paths(part, path) for part in data))
    if isinstance(data, dict):
        names = {f"{path}.{key}" if path else key: part for key, part in data.items()}
        return set(names).union(*(paths(part, name) for name, part in names.items()))
    return set()


def test_a_drawing_reads_the_fields_of_its_type(context, address):
    """The health check is the shortest page from which modules of `static/` can be imported."""
    page = context.new_page()
    page.goto(f"{address}/_stcore/health")
    for name, (promised, make) in DRAWINGS.items():
        data = json.loads(json.dumps(make()))
        read = set(page.evaluate(READ, [f"/app/static/{name}.js?v={version()}", name, data]))
        assert set(get_type_hints(promised)) == set(data), name
        assert set(data) <= read, name
        assert read <= paths(data), name
    page.close()


TICK = """async module => {
  const {draw} = await import(module);
  const parentElement = document.body.appendChild(document.createElement('div'));
  const data = {wait: 0};
  const ticked = new Promise(setTriggerValue => draw({parentElement, data, setTriggerValue}));
  const start = performance.now();
  history.pushState(null, '', '?another=address');
  await ticked;
  return performance.now() - start;
}"""
"""In the page: changes the address, and returns after how many milliseconds a tick comes."""


def test_a_tick_waits_for_streamlit(context, address):
    """A tick in the same moment would send the old controls, and these would undo the step."""
    page = context.new_page()
    page.goto(f"{address}/_stcore/health")
    assert page.evaluate(TICK, f"/app/static/tick.js?v={version()}") >= 50
    page.close()
