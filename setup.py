"""The packages; everything else about the distribution stands in pyproject.toml."""

from setuptools import Extension, find_packages, setup

# Bots, their ladders and the reference's pages have one place, and lie in the package once it is built.
PLACES = {
    "arbiter.samples.bots": "bots/python",
    "arbiter.samples.cpp": "bots/cpp",
    "arbiter.samples.faulty": "bots/faulty",
    "arbiter.samples.js": "bots/js",
    "arbiter.samples.languages": "bots/languages",
    "arbiter.samples.learned": "bots/learned",
    "arbiter.samples.llm": "bots/llm",
    "arbiter.samples.rungs": "configs/ladder",
    "arbiter.samples.reference": "docs/reference",
}
# Rules in C. Where there is no compiler they are left out, and Python plays.
CORES = "arbiter/envs/core"
COMPILED = ["planning", "codepiece", "dou_dizhu", "chefs_hat"]
setup(
    packages=[*find_packages(include=["arbiter*", "rating*"]), *PLACES],
    package_dir=PLACES,
    ext_modules=[
        Extension(
            f"arbiter.envs.core.{name}",
            [f"{CORES}/{name}.c"],
            depends=[f"{CORES}/core.h"],
            extra_compile_args=["-std=c11", "-O2"],
            optional=True,
        )
        for name in COMPILED
    ],
    package_data={
        "arbiter.samples.cpp": ["*.cpp", "*.h", "*.weights", "Makefile"],
        "arbiter.samples.faulty": ["*.c", "*.h", "README.md", "Makefile"],
        "arbiter.samples.js": ["*.js"],
        "arbiter.samples.languages": ["bot.[!j]*", "Bot.java", "README.md"],
        "arbiter.samples.learned": ["*.npz"],
        "arbiter.samples.rungs": ["*.yaml"],
        "arbiter.samples.reference": ["*.md"],
    },
)
