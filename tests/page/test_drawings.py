"""The modules in `static/`: they can be read, and no browser mixes two versions of them."""

import re
import shutil
import subprocess

import pytest

from lib.page import drawings
from lib.page.drawings import STATIC, version

MODULES = sorted(STATIC.glob("*.js"))


def test_a_module_imports_others_of_its_own_version():
    for module in MODULES:
        text = module.read_text()
        imports = re.findall(r"\bimport\(([^\n]*)\);", text)
        assert not re.search(r"^import ", text, re.MULTILINE), module
        assert all(
            re.fullmatch(r"'\./\w+\.js' \+ (query|new URL\(import\.meta\.url\)\.search)", path)
            for path in imports
        ), module


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
const [bits, ...names] = process.argv.slice(1);
const modules = {};
for (const name of names) modules[name] = await import(name);
const {numberOf, written, floatsApart} = modules[names.find(name => name.endsWith('/bits.js'))];
const fields = [{bits: 1}, {bits: 8}, {bits: 23}];
const both = [bits, `${bits.slice(0, -1)}1`];
const [first, second] = both.map(digits => numberOf(digits, fields));
console.log(first, second, written(first, fields), floatsApart(...both, fields));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_modules_can_be_read_and_bits_are_numbers():
    bits = "00111111100000000000000000000000"
    command = ["node", "--input-type=module", "-e", NUMBERS, bits]
    command += [module.as_uri() for module in MODULES]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.strip() == f"1 {1 + 2**-23} 1.00000000 1 float", done.stderr
