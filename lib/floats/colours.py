"""The colours of all pictures and charts: one meaning each, in a shade for the light and one for the dark page.

Dashes, shapes or labels always say the same as the colours. The second side is far darker than all others on the light
page and far lighter on the dark one, so that luminance alone tells it from the first side and from what is equal. The
pictures repeat these shades in `page/pictures/style.css`, and Streamlit's theme in `.streamlit/config.toml`.
"""

COLOURS = {
    "first": ("#c2410c", "#f0812b"),  # orange, solid, ●: backward, alone, autograd
    "second": ("#0b4f4c", "#6ee7d8"),  # teal, dashed, ■: the other side
    "differ": ("#6d3fc0", "#c4a5fb"),  # violet: different, wrong, changed
    "equal": ("#8b949e", "#7a838d"),  # grey: equal
    "quiet": ("#5b616b", "#a9b0ba"),  # labels and guide lines
    "ink": ("#16181d", "#eef0f4"),  # the text of the page; what is exact, dotted, ◇
}
"""The shade on the light and on the dark page, by meaning."""
