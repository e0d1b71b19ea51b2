"""What a store notes about methods that are not ours: their facts, where they are from.

A report must not import what a store names, since that would run somebody's code. What
the author declared is therefore written into the manifest when the method runs, under
``methods``: its facts (`tsmdbench.methods.info`), and whether it was an object of a
session, which nobody else can run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.experiments.method_info import Described
from tsmdbench.methods import METHODS
from tsmdbench.methods.adapters import InstanceMethod
from tsmdbench.methods.info import LONGEST, MethodInfo

CARDS = "methods"  # field of the manifest: name to card


def cards(methods: Iterable[Described]) -> dict[str, dict[str, Any]]:
    """Return what a manifest notes about methods; ours are left out.

    Raises
    ------
    InputError
        What a method declares is not allowed; the message names the method.
    """
    ours = METHODS.added()
    made = {}
    for method in methods:
        if method.name not in ours:
            facts = _declared(method).to_dict()
            made[method.name] = {"facts": facts, "session": method.session}
    return made


def _declared(method: Described) -> MethodInfo:
    is_instance = isinstance(method.cls, InstanceMethod)
    given = method.cls.instance if is_instance else method.cls
    try:
        facts = MethodInfo.of(given)
    except InputError as error:
        raise type(error)(f"{method.name}: {error}") from None
    if facts.univariate is None and "channel" in method.fields:
        facts = replace(facts, univariate=True)
    if is_instance and facts.display_name is not None:
        settings = method.name.removeprefix(type(given).__name__)
        name = f"{facts.display_name}{settings}"[:LONGEST]
        facts = replace(facts, display_name=name)
    return facts


def declared_facts(manifest: Mapping[str, Any]) -> dict[str, MethodInfo]:
    """Return the facts of the methods that a manifest has a card of.

    Raises
    ------
    InputError
        A card holds something else.
    """
    try:
        return {
            name: MethodInfo.from_dict(card["facts"])
            for name, card in manifest.get(CARDS, {}).items()
        }
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(
            f"the manifest of the store is damaged: what is declared about methods "
            f"cannot be read ({error})"
        ) from None


def session_methods(manifest: Mapping[str, Any]) -> set[str]:
    """Return the names of the methods that were objects of a session."""
    known = manifest.get(CARDS, {})
    return {
        name
        for name, card in known.items()
        if isinstance(card, Mapping) and card.get("session") is True
    }
