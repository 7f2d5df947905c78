"""The modules in `static/`: they can be read, and no browser mixes two versions of them."""

import re
import shutil
import subprocess

import pytest

from lib.page import drawings
from lib.page.drawings import STATIC, version

MODULES = sorted(STATIC.glob("*.js"))
node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")


@node
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_a_module_can_be_read(module):
    done = subprocess.run(["node", "--check", str(module)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_a_module_imports_others_of_its_own_version(module):
    text = module.read_text()
    imports = re.findall(r"\bimport\(([^\n]*)\);", text)
    assert not re.search(r"^import ", text, re.MULTILINE)
    assert all(
        re.fullmatch(r"'\./\w+\.js' \+ (query|new URL\(import\.meta\.url\)\.search)", one)
        for one in imports
    )


def test_another_content_is_another_version(monkeypatch, tmp_path):
    version.cache_clear()
    before = version()
    shutil.copytree(STATIC, tmp_path / "static")
    monkeypatch.setattr(drawings, "STATIC", tmp_path / "static")
    version.cache_clear()
    assert version() == before
    (tmp_path / "static/kit.js").write_text("// another one")
    version.cache_clear()
    assert version() != before
    version.cache_clear()


NUMBERS = """
const {numberOf, written, floatsApart} = await import(process.argv[1]);
const fields = [{bits: 1}, {bits: 8}, {bits: 23}];
const bits = process.argv.slice(2);
const [one, next] = bits.map(digits => numberOf(digits, fields));
console.log(one, next, written(one, fields), floatsApart(...bits, fields));
"""


@node
def test_bits_are_read_as_numbers():
    one = "00111111100000000000000000000000"
    module = (STATIC / "bits.js").as_uri()
    command = ["node", "--input-type=module", "-e", NUMBERS, module, one, f"{one[:-1]}1"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == f"1 {1 + 2**-23} 1.00000000 1 float"
