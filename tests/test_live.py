"""What viewers share of a drawing."""

from streamlit.testing.v1 import AppTest


def draw_for_a_viewer(seed: int) -> AppTest:
    def script(seed: int, log: list[int]) -> None:
        import streamlit as st

        from page.live import share

        def draw(seed: int) -> None:
            log.append(seed)
            left, right = st.columns(2)
            left.metric("seed", seed)
            with right:
                st.markdown(f"of seed {seed}")

        with st.container():
            share(("drawing", seed), draw, seed)

    return AppTest.from_function(script, kwargs={"seed": seed, "log": DRAWN}).run()


DRAWN: list[int] = []


def test_what_one_viewer_had_drawn_is_only_sent_to_the_next():
    pages = [draw_for_a_viewer(seed) for seed in (1, 1, 2, 1)]
    assert [(page.metric[0].value, page.markdown[0].value) for page in pages] == [
        (str(seed), f"of seed {seed}") for seed in (1, 1, 2, 1)
    ]
    assert DRAWN == [1, 2]
