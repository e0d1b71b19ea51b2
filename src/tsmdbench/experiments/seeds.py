"""Repeats: the same setting of a random method with several seeds.

A field named `seed` is what makes a method random. The runs of several seeds differ in
this field only; their scores are averaged where runs become scores, see
`tsmdbench.analysis.seed_spread`. A search tries one seed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from tsmdbench.experiments.method_info import Described

SEED = "seed"


def seeded_settings(
    method: Described, setting: Mapping[str, Any], repeats: int
) -> list[dict[str, Any]]:
    """Return a setting with as many seeds as it is repeated.

    They begin with the seed that the setting or the class has; with 0 where that is not
    a whole number. A method without a field `seed` runs once.

    Raises
    ------
    InputError
        The field does not count in comparisons, so its runs would be one run.
    """
    if repeats == 1 or not method.has_seed:
        return [dict(setting)]
    counted = method.parameters({SEED: 0, **setting})
    if SEED not in counted:
        raise InputError(
            f"the field 'seed' of {method.name} has compare=False, so runs with "
            f"different seeds cannot be distinguished; remove compare=False"
        )
    given = {**method.parameters(setting), **setting}.get(SEED)
    whole = isinstance(given, Integral) and not isinstance(given, bool)
    first = int(given) if whole and given is not None else 0
    return [{**setting, SEED: first + number} for number in range(repeats)]


def seed_of(parameters: str) -> Any:
    """Return the seed in the parameters of a row; None where there is none.

    >>> seed_of('{"length": 8, "seed": 3}')
    3
    """
    return json.loads(parameters).get(SEED)


def seed_order(seed: Any) -> tuple[bool, float, str]:
    """Return what seeds are sorted by: numbers first, by value."""
    is_number = isinstance(seed, int | float)
    return not is_number, float(seed) if is_number else 0.0, str(seed)


def without_seed(parameters: str) -> str:
    """Return the parameters of a row, as the store has them, without the seed.

    >>> without_seed('{"length": 8, "seed": 3}')
    '{"length": 8}'
    """
    if f'"{SEED}"' not in parameters:
        return parameters
    fields = json.loads(parameters)
    fields.pop(SEED, None)
    return json.dumps(fields, sort_keys=True)
