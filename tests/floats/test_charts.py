"""The colours: light enough or dark enough to be seen, and told apart by readers who do not see red
and green."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from lib.floats.charts import COLOURS

ROOT = Path(__file__).parents[2]
THEME = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"]
PAGES = (THEME["light"], THEME["dark"])
GROUNDS = [page["backgroundColor"] for page in PAGES]

DEUTERANOPE = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
"""What a reader without green-sensitive cones sees of linear RGB (Machado, Oliveira and Fernandes
2009, severity 1)."""

TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
"""From linear sRGB to the coordinates XYZ (IEC 61966-2-1); the second one is the luminance."""


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(first: np.ndarray, second: np.ndarray) -> float:
    """The ratio of WCAG 2.2 of two colours in linear RGB."""
    darker, lighter = sorted(float(TO_XYZ[1] @ colour) + 0.05 for colour in (first, second))
    return lighter / darker


@pytest.mark.parametrize("ground", range(2))
@pytest.mark.parametrize("name", COLOURS)
def test_marks_and_texts_stand_out_from_the_page(name, ground):
    """The grey of what is equal fills areas only; all others also write texts."""
    least = 3 if name == "equal" else 4.5
    assert contrast(linear(COLOURS[name][ground]), linear(GROUNDS[ground])) >= least


@pytest.mark.parametrize("ground", range(2))
@pytest.mark.parametrize("other", ["first", "equal"])
def test_the_second_side_is_told_by_luminance_alone(other, ground):
    sides = [linear(COLOURS[name][ground]) for name in ("second", other)]
    assert contrast(*sides) >= 1.5
    assert contrast(*(np.clip(DEUTERANOPE @ side, 0, 1) for side in sides)) >= 1.5


def test_a_sheet_has_no_shades_of_its_own():
    sheets = [file for file in (ROOT / "static").glob("*.css") if file.stem != "style"]
    assert len(sheets) > 3
    for sheet in sheets:
        grey = r"light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\)"  # of lines that mean nothing
        text = re.sub(grey, "", sheet.read_text("utf-8"))
        assert not re.findall(r"#[0-9a-f]{3,8}\b", text), sheet


def test_the_ink_is_the_text_of_the_page():
    assert [page["textColor"] for page in PAGES] == list(COLOURS["ink"])
