"""Settings of all tests: no test fails because the machine was busy. A campaign tries more, and other things each time."""

from hypothesis import settings

settings.register_profile("arbitre", deadline=None, derandomize=True, database=None, max_examples=50)
settings.register_profile("campaign", deadline=None, database=None, max_examples=300)
settings.load_profile("arbitre")
