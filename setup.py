"""The packages; everything else about the distribution stands in pyproject.toml."""

from setuptools import find_packages, setup

# Bots, their ladders and the reference's pages have one place, and lie in the package once it is built.
PLACES = {
    "arbiter.samples.bots": "bots/python",
    "arbiter.samples.cpp": "bots/cpp",
    "arbiter.samples.learned": "bots/learned",
    "arbiter.samples.rungs": "configs/ladder",
    "arbiter.samples.reference": "docs/reference",
}
setup(
    packages=[*find_packages(include=["arbiter*", "rating*"]), *PLACES],
    package_dir=PLACES,
    package_data={
        "arbiter.samples.cpp": ["*.cpp", "*.h", "*.weights", "Makefile"],
        "arbiter.samples.learned": ["*.npz"],
        "arbiter.samples.rungs": ["*.yaml"],
        "arbiter.samples.reference": ["*.md"],
    },
)
