"""Settings for all tests."""

import os

from hypothesis import settings

# No deadline for one example: machines are shared and noisy, and nothing here asserts a time. In CI the examples are
# the same each time, so that what it says is about the change; new examples are looked for wherever else it is run.
settings.register_profile("shared machine", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if "CI" in os.environ else "shared machine")
