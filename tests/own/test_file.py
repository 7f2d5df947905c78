"""`python -m lib --own FILE.py:NAME --x FILE.pt`: the figures, and one sentence for each thing that is wrong."""

import json
import signal

import pytest
import torch

from lib import __main__ as command
from lib.takeaway.own_glossary import OWN, PART

LINES = """
import torch
from torch import nn
print("hello")
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2), nn.Sigmoid())
def cut(x):
    return net(x.detach() * x)
number = 3
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    (tmp_path / "mine.py").write_text(LINES)
    (tmp_path / "broken.py").write_text("import no_such_module")
    torch.save(torch.linspace(0, 1, 5), tmp_path / "x.pt")
    torch.save(torch.nn.Linear(2, 2), tmp_path / "module.pt")
    return tmp_path


def run(folder, capsys, network, x="x.pt", *query):
    code = command.main([*query, "--own", str(folder / network), "--x", str(folder / x)])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize("query", [(), ("method=jacrev",)])
def test_it_prints_what_compare_finds_as_one_object(folder, capsys, query):
    before = torch.get_rng_state()
    code, out, err = run(folder, capsys, "mine.py:net", "x.pt", *query)
    torch.set_rng_state(before)
    printed = json.loads(out)
    assert (code, err, printed["kind"]) == (0, "hello\n", "rounding")
    (part,) = printed["parts"]
    assert printed.keys() == OWN.keys() and part.keys() == PART.keys()
    assert part["sides"] == ["backward()", "func.jacrev" if query else "functional.jacobian"]


def test_a_difference_that_is_not_rounding_is_printed_too(folder, capsys):
    code, out, _ = run(folder, capsys, "mine.py:cut")
    printed = json.loads(out)
    assert (code, printed["kind"]) == (0, "not rounding")
    assert printed["parts"][0]["causes"] == ["detach() at mine.py:8"]


@pytest.mark.parametrize(
    ("network", "x", "words"),
    [
        ("mine.py", "x.pt", "is not FILE.py:NAME"),
        ("mine.py:3", "x.pt", "is not FILE.py:NAME"),
        ("none.py:net", "x.pt", "There is no file"),
        ("mine.py:no", "x.pt", "has no no."),
        ("mine.py:number", "x.pt", "cannot be called"),
        ("broken.py:net", "x.pt", "ModuleNotFoundError"),
        ("mine.py:net", "none.pt", "There is no file"),
        ("mine.py:net", "module.pt", "holds no tensors"),
        ("mine.py:net", "mine.py", "holds no tensors"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_exit_code_2(folder, capsys, network, x, words):
    code, out, err = run(folder, capsys, network, x)
    assert (code, out) == (2, "")
    last = err.splitlines()[-1]
    assert words in last and err.count("\n") <= 2  # the file may have printed its own line


@pytest.mark.parametrize(
    "arguments",
    [
        ["--own", "mine.py:net"],
        ["--x", "x.pt"],
        ["samples=5", "--own", "mine.py:net", "--x", "x.pt"],
        ["--own", "mine.py:net", "--x", "x.pt", "--csv", "a.csv"],
        ["--own", "mine.py:net", "--x", "x.pt", "--checkpoint", "a.json"],
        ["method=none", "--own", "mine.py:net", "--x", "x.pt"],
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments):
    with pytest.raises(SystemExit) as caught:
        command.main(arguments)
    assert caught.value.code == 2


def test_a_file_that_exits_is_told_in_one_sentence(folder, capsys):
    (folder / "exits.py").write_text("import sys; sys.exit(3)")
    code, out, err = run(folder, capsys, "exits.py:net")
    assert (code, out) == (2, "") and "failed with SystemExit: 3" in err
