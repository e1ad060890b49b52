"""The packages; everything else about the distribution stands in pyproject.toml."""

from setuptools import find_packages, setup

setup(
    # The sample bots have one place, bots/python, and lie in the package once it is built.
    packages=[*find_packages(include=["arbiter*", "rating*"]), "arbiter.samples.bots"],
    package_dir={"arbiter.samples.bots": "bots/python"},
)
