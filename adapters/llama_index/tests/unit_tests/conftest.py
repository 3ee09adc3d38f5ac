"""Settings of all tests of this adapter."""

from hypothesis import settings

settings.register_profile("any machine", deadline=None)  # how long an example takes is the machine's affair
settings.load_profile("any machine")
