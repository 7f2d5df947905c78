"""An explanation says why and what to do, and links to PyTorch's documentation."""

from lib.floats.why import Why


def test_an_explanation_links_its_names_to_the_documentation():
    assert Why("Floats round.", "Add less.", {"sum": "generated/torch.sum.html", "x": "x.html"}).markdown == (
        "**Why?** Floats round.\n\n**What to do:** Add less. PyTorch's documentation: "
        "[sum](https://docs.pytorch.org/docs/stable/generated/torch.sum.html), "
        "[x](https://docs.pytorch.org/docs/stable/x.html)."
    )
