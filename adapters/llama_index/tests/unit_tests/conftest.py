"""Settings of all tests of this adapter."""

from hypothesis import settings

# How long an example takes is the machine's affair; each run tries the same ones, so that red is a finding, not luck.
# pytest --hypothesis-profile=explore tries others.
settings.register_profile("any machine", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, derandomize=False)
settings.load_profile("any machine")
