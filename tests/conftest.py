"""Settings of all tests: no test fails because the machine was busy."""

from hypothesis import settings

settings.register_profile("arbitre", deadline=None, derandomize=True, database=None)
settings.load_profile("arbitre")
