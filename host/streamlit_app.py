"""The page, for hosts that install the `requirements.txt` beside the main file.

The one in this folder has PyTorch without CUDA.
"""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:  # this file runs for every visitor
    sys.path.insert(0, str(ROOT))
st.navigation([st.Page(ROOT / "streamlit_app.py", default=True)], position="hidden").run()
