"""The packages; everything else about the distribution stands in pyproject.toml."""

from setuptools import Extension, find_packages, setup

# Bots, their ladders and the reference's pages have one place, and lie in the package once it is built.
PLACES = {
    "arbiter.games.samples.bots": "bots/python",
    "arbiter.games.samples.cpp": "bots/cpp",
    "arbiter.games.samples.faulty": "bots/faulty",
    "arbiter.games.samples.js": "bots/js",
    "arbiter.games.samples.languages": "bots/languages",
    "arbiter.games.samples.learned": "bots/learned",
    "arbiter.games.samples.llm": "bots/llm",
    "arbiter.games.samples.rungs": "configs/ladder",
    "arbiter.games.samples.reference": "docs/reference",
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
        "arbiter.games.samples.cpp": ["*.cpp", "*.h", "*.weights", "Makefile"],
        "arbiter.games.samples.faulty": ["*.c", "*.h", "README.md", "Makefile"],
        "arbiter.games.samples.js": ["*.js"],
        "arbiter.games.samples.languages": [
            "bot.[!j]*",
            "Bot.java",
            "README.md",
            "*/bot.cpp",
            "*/Bot.java",
            "*/bot.mjs",
        ],
        "arbiter.games.samples.learned": ["*.npz"],
        "arbiter.games.samples.rungs": ["*.yaml"],
        "arbiter.games.samples.reference": ["*.md"],
    },
)
