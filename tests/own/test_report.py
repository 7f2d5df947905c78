"""What a report shows: its table, its picture, and what a notebook is given."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import torch

from lib.own import compare
from tests.own.networks import SOUND, UNSOUND, network


@pytest.fixture(scope="module")
def report():
    return compare(*network(*SOUND["layer norm"], torch.float32))


def test_the_worst_are_those_of_the_table_that_are_the_most_floats_apart(report):
    table, worst = report.table, report.worst(4)
    differing = table[table["ulps"] > 0]
    assert worst["ulps"].tolist() == sorted(differing["ulps"].tolist(), reverse=True)[:4]
    assert len(report.worst(10**6)) == len(differing) < len(table)
    one, other = (table[name].astype(np.float32).to_numpy() for name in ("backward()", "functional.jacobian"))
    steps = np.abs(one.view(np.int32).astype(np.int64) - other.view(np.int32))
    same_sign = np.sign(one) == np.sign(other)
    assert same_sign.all() and steps.tolist() == table["ulps"].tolist()


def test_who_is_closer_is_told_component_by_component(report):
    (part,) = report.parts
    table = report.table
    sides = ("backward()", "functional.jacobian")
    errors = {name: (table[name] - table["float64"]).abs() for name in sides}
    assert part.closer() == tuple((errors[a] < errors[b]).sum() for a, b in (sides, sides[::-1]))
    size, eps = table["float64"].abs().max(), 2.0**-23
    assert part.in_roundings() == pytest.approx([errors[a].max() / (eps * size * part.pair.condition()) for a in sides])


def test_a_notebook_is_given_words_a_table_and_a_picture(report):
    bundle = report._repr_mimebundle_()
    assert bundle["text/plain"] == str(report) and bundle["text/html"] == report._repr_html_()
    assert all(sentence in str(report) for sentence in report.sentences)
    html = bundle["text/html"]
    assert "<table" in html and "<svg" in html and "script" not in html
    picture = ElementTree.fromstring(report.picture)
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert sum("●" in text for text in texts) == sum("■" in text for text in texts) == 1
    assert any(text.startswith("◇ float64 ") for text in texts)
    worst = report.worst(1)
    assert f"x[{worst['index'][0][0]}, {worst['index'][0][1]}]" in texts[0]
    width = float(picture.attrib["viewBox"].split()[2])
    assert all(0 < float(x) < width for x in re.findall(r' x="([0-9.]+)"', report.picture))


def test_names_from_outside_are_no_html():
    def way(x):
        return x.exp()

    way.__name__ = "<script>alert(1)</script>"
    report = compare(ways=(way, torch.expm1), x=torch.ones(3))
    assert "<script" not in report._repr_html_() and "&lt;script&gt;" in report._repr_html_()


def test_equal_results_have_no_table_and_no_picture():
    report = compare(torch.sin, torch.ones(3))
    assert report.kind == "equal" and report.picture == "" and "<table" not in report._repr_html_()
    assert len(report.worst()) == 0 and len(report.table) == 3


def test_the_names_of_parameters_are_in_the_table():
    net, x = network(*SOUND["layer norm"], torch.float32)
    table = compare(net, x, of="parameters").table
    assert list(dict.fromkeys(table["of"])) == [name for name, _ in net.named_parameters()]
    assert len(table) == sum(parameter.numel() for parameter in net.parameters())


@pytest.mark.parametrize("name", UNSOUND)
def test_what_is_not_rounding_has_no_reference_and_no_word_of_closeness(name):
    build, shape, *_ = UNSOUND[name]
    report = compare(*network(build, shape, torch.float32))
    assert "float64" not in report.table and "Closer" not in str(report)


def test_a_nan_on_one_side_alone_is_counted_and_comes_first():
    def safe(x):
        return torch.where(x > 0, torch.where(x > 0, x, 1).sqrt(), 0)

    def unsafe(x):
        return torch.where(x > 0, x.sqrt(), 0)

    report = compare(ways=(safe, unsafe), x=torch.tensor([4.0, -1.0, 9.0]))
    values, gradient = report.parts
    assert (values.verdict.kind, gradient.verdict.kind) == ("equal", "not rounding")
    assert gradient.pair.differing == 1 and "NaN or an infinity stands against something else" in str(report)
    assert report.worst(2)["index"].tolist() == [(1,)] and report.picture == ""
