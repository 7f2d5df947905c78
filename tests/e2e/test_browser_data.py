"""The data in a real browser: what is downloaded holds the bits of the command line, and the tables of the charts."""

import io
from urllib.parse import urlencode

import pandas as pd
from playwright.sync_api import Page, expect

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.takeaway.files import Files
from lib.takeaway.plots import PLOTS
from lib.takeaway.study_table import plotted_by
from tests.e2e.looking import link

EXPERIMENT = Experiment(samples=40, seed=2)


def download(page: Page, name: str) -> tuple[str, bytes]:
    button = page.get_by_role("button", name=name)
    expect(button).to_be_enabled()
    with page.expect_download() as started:
        button.click()
    with open(started.value.path(), "rb") as file:
        return started.value.suggested_filename, file.read()


def test_the_data_is_downloaded_bit_for_bit(visit):
    opened = urlencode({"files": "true", "plotted": "true", "chart": PLOTS["populations"].title})
    page = visit(link("Check your own", f"{EXPERIMENT.query}&{opened}"))
    expected = Stream(Files(EXPERIMENT)).finish()
    name, text = download(page, "Download CSV")
    assert name == "last-bit-components.csv" and text == expected.csv
    name, parquet = download(page, "Download Parquet")
    assert name == "last-bit-components.parquet" and parquet == expected.parquet
    components = pd.read_parquet(io.BytesIO(parquet))
    pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(text), comment="#"), components, check_exact=True)
    assert len(components) == 5 * EXPERIMENT.samples
    name, text = download(page, "Download this table")
    assert name == "last-bit-populations.csv"
    subject = plotted_by("populations")
    plotted = subject.tables(Stream(subject.study(EXPERIMENT)).finish(), EXPERIMENT)["populations"]
    read = pd.read_csv(io.BytesIO(text), comment="#", dtype=plotted.dtypes.to_dict(), keep_default_na=False)
    pd.testing.assert_frame_equal(read, plotted, check_exact=True)
