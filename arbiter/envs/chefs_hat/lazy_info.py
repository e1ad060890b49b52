"""The `info` of a step as a dictionary that is built when it is first read.

Few learners read all 23 keys of every step, and to build them costs more than the step. What they
are built from cannot change, so it does not matter when.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

KEYS = (
    "Matches Rounds Player_Names Author_Index Author_Possible_Actions Observation_Before Observation_After "
    "Action_Valid Action_Random Action_Index Action_Decoded Is_Pizza Pizza_Author Finished_Players "
    "Cards_Per_Player Last_action_Per_Player Next_Player Board_Before Board_After Current_Roles Match_Score "
    "Game_Score Game_Performance_Score"
)
"""The keys of `info`, in their order."""
_BLANK = dict.fromkeys(KEYS.split())
_READING = (
    "__contains__ __delitem__ __eq__ __getitem__ __ior__ __iter__ __len__ __ne__ __or__ __repr__ "
    "__reversed__ __ror__ __setitem__ clear copy get items keys pop popitem setdefault update values"
)
"""The methods of a dictionary before which this one is built."""


class Info(dict[str, Any]):
    """A dictionary of `KEYS`: what `make` returns, from the first moment that somebody looks.

    It has its keys from the start: whoever asks for no more than its size gets the right one.
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        dict.__init__(self, _BLANK)
        self._make: Callable[[], dict[str, Any]] | None = make

    def __reduce_ex__(self, _: Any) -> Any:
        # Copies, and what is sent to other processes, are plain dictionaries.
        return dict, (dict(self),)


def _built_first(name: str) -> Any:
    plain = getattr(dict, name)

    def method(self: Info, *values: Any, **keywords: Any) -> Any:
        # What it is compared or joined with may be another one that nobody has read.
        for info in (self, *values):
            if isinstance(info, Info) and (make := info._make) is not None:
                info._make = None
                dict.update(info, make())
        return plain(self, *values, **keywords)

    method.__name__ = name
    method.__doc__ = plain.__doc__
    return method


# That `__iter__` is among them makes ``dict(info)`` and ``{**info}`` ask, not copy.
for _name in _READING.split():
    setattr(Info, _name, _built_first(_name))
