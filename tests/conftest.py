"""Settings for all tests."""

from hypothesis import settings

# No deadline for one example: machines are shared and noisy, and nothing here asserts a time.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
