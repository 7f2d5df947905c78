"""The page for hosts that install what they find beside the main file: here, PyTorch without CUDA."""

import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "streamlit_app.py"
if str(PAGE.parent) not in sys.path:  # this file runs for every visitor
    sys.path.insert(0, str(PAGE.parent))
exec(compile(PAGE.read_text(), PAGE, "exec"))
