"""Each drawing reads what its type promises, and nothing that is not there."""

import json
from typing import Any, get_type_hints

import pytest

from lib.discrepancy.drawing import ComponentDrawing, component_drawing
from lib.experiment.query import Experiment
from lib.page.drawings import version

DRAWINGS: dict[str, tuple[type, Any]] = {
    "component": (ComponentDrawing, component_drawing(Experiment(), 0, 1)[1])
}
"""The drawings, each with its type and an example."""

READ = """async ([name, data, version]) => {
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
  const {draw} = await import(new URL(`app/static/${name}.js?v=${version}`, document.baseURI));
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


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_reads_the_fields_of_its_type(visit, name):
    promised, example = DRAWINGS[name]
    data = json.loads(json.dumps(example))
    page = visit("samples=10&tab=Check+your+own")
    page.get_by_role("textbox").wait_for()
    read = set(page.evaluate(READ, [name, data, version()]))
    assert set(get_type_hints(promised)) == set(data)
    assert set(data) <= read
    assert read <= paths(data)
