"""The colours: light enough or dark enough to be seen, and told apart without seeing hues."""

import tomllib
from pathlib import Path

import pytest

from lib.floats.charts import COLOURS

ROOT = Path(__file__).parents[2]
THEME = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))["theme"]
PAGES = (THEME["light"], THEME["dark"])


def contrast(*colours):
    """The ratio of WCAG 2.2 of two colours, from their luminance (IEC 61966-2-1)."""
    luminances = []
    for colour in colours:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        red, green, blue = linear
        luminances.append(0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    return max(luminances) / min(luminances)


@pytest.mark.parametrize("place", range(2))
def test_marks_and_texts_stand_out(place):
    """The grey of what is equal fills areas only; all others also write texts."""
    shades = {name: colour[place] for name, colour in COLOURS.items()}
    page = PAGES[place]
    assert shades["ink"] == page["textColor"]
    for name, shade in shades.items():
        assert contrast(shade, page["backgroundColor"]) >= (3 if name == "equal" else 4.5), name
    assert all(contrast(shades["second"], shades[name]) >= 1.5 for name in ("first", "equal"))
