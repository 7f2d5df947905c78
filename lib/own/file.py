"""The network in a visitor's own file, for `--own FILE.py:NAME --x FILE.pt`.

The file is the visitor's and runs on the visitor's own machine, as `python FILE.py` would; the page never gets here.
The input is data only: `torch.load(weights_only=True)` reads tensors and refuses all else.
"""

import sys
from contextlib import redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import torch

from lib.own.comparison import compare
from lib.own.refused import RefusedError, failed


def figures(own: str, x: str, method: str) -> dict[str, Any]:
    """Return what `compare` finds of the network NAME in FILE.py, given as "FILE.py:NAME", at the input in a file.

    NAME is an `nn.Module` or a function. What the file prints goes to stderr. Raises `RefusedError`, one sentence, for
    what is not there or does not load.
    """
    path, _, name = own.rpartition(":")
    if not path.endswith(".py") or not name.isidentifier():
        raise RefusedError(f"--own {own!r} is not FILE.py:NAME, such as net.py:model.")
    with redirect_stdout(sys.stderr):
        report = compare(_loaded(Path(path), name), _input(Path(x)), method=method)
    return {"own": own, **report.figures()}


def _loaded(path: Path, name: str) -> Any:
    if not path.is_file():
        raise RefusedError(f"There is no file {path}.")
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise failed(str(path), error) from error
    if not hasattr(module, name):
        raise RefusedError(f"{path} has no {name}.")
    return getattr(module, name)


def _input(path: Path) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise RefusedError(f"There is no file {path}.") from None
    except Exception as error:
        raise RefusedError(f"{path} holds no tensors that torch.load(weights_only=True) reads.") from error
