"""Sequitur: a grammar that grows word by word, on linked nodes in one int array.

A node is a row ``(value, next, previous, uses, places)``. Values from 0 are words; a
rule is known by its guard node, which closes the ring of its body, and a symbol that
refers to it has the value ``RULE - guard``. A guard counts the uses of its rule and
keeps the exclusive or of the nodes that use it: when one use is left, that is its
place. Numbers of 32 bits serve a thousand million words and halve the way to memory.

Two work lists keep the invariants. *Digrams*: nodes whose pair with the next node is
new, or may have lost its entry in the table. *Underused*: rules whose count of uses
fell. Each step replaces a repeated pair or dissolves a rule, so the work is linear.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel

VALUE, NEXT, PREVIOUS, USES, PLACES = 0, 1, 2, 3, 4
GUARD, DEAD, RULE = -1, -2, -3
# Fields of `state`: chain of freed nodes, lengths of the work lists, jMotif's way or
# ours, first node never used.
FREE, TOP, SUSPECTS, COMPAT, FRESH = 0, 1, 2, 3, 4
ROOM = 16  # no step puts more than this on a work list


@strict_kernel
def infer(words, repeated, compat):
    """Grammar of a sequence. i8[m], b1[m - 1] -> symbols i8[.], offsets i8[rules + 1].

    Rule k is ``symbols[offsets[k]:offsets[k + 1]]``, rule 0 the whole sequence; a
    symbol is a word, or ``-k`` for rule k. `repeated` is that of `pairs.repeated`:
    other pairs of words are never entered. O(m) expected.

    `compat` leaves out what jMotif leaves out: pairs that form where a rule is
    dissolved, or that remain of a run x x x, are not entered into the table, and only
    the first symbol of a matched rule is tested for utility.
    """
    m = len(words)
    nodes = np.empty((m + m // 2 + 8, 5), np.int32)
    size = 16
    while size < 2 * m:
        size *= 2
    table = np.full((size, 3), -1, np.int32)
    state = np.zeros(5, np.int64)
    state[COMPAT] = 1 if compat else 0
    state[FREE], state[FRESH] = -1, 1
    nodes[0, VALUE] = GUARD  # of rule 0; its ring is empty
    _link(nodes, 0, 0)
    digrams = np.empty(64, np.int64)
    suspects = np.empty(64, np.int64)
    for i in range(m):
        last = nodes[0, PREVIOUS]
        node = _new_node(nodes, state, words[i])
        _link(nodes, last, node)
        _link(nodes, node, 0)
        if i > 0 and (repeated[i - 1] or nodes[last, VALUE] <= RULE):
            _push(digrams, state, last)
        while state[TOP] + state[SUSPECTS] > 0:
            digrams = _with_room(digrams, state[TOP])
            suspects = _with_room(suspects, state[SUSPECTS])
            if state[TOP] > 0:
                state[TOP] -= 1
                node = digrams[state[TOP]]
                _check(nodes, table, digrams, suspects, state, node)
            else:
                state[SUSPECTS] -= 1
                guard = suspects[state[SUSPECTS]]
                if nodes[guard, VALUE] == GUARD and nodes[guard, USES] == 1:
                    _dissolve(nodes, table, digrams, state, guard)
    return _collect(nodes, m)


@strict_kernel
def _check(nodes, table, digrams, suspects, state, node):
    """Enter the pair that starts at `node`, or replace it where it repeats."""
    if nodes[node, VALUE] == DEAD or nodes[node, VALUE] == GUARD:
        return
    after = nodes[node, NEXT]
    value = nodes[node, VALUE]
    if nodes[after, VALUE] == GUARD:
        return
    slot = _find(table, value, nodes[after, VALUE])
    other = table[slot, 2]
    if other < 0:
        table[slot, 0], table[slot, 1] = value, nodes[after, VALUE]
        table[slot, 2] = node
        return
    if other == node:
        return
    # Pairs inside a run x x x overlap; only a run of four holds the pair twice.
    if nodes[other, NEXT] == node:
        other = nodes[other, PREVIOUS]
        if nodes[other, VALUE] != value:
            return
    elif after == other:
        table[slot, 2] = node
        other = node
        node = nodes[nodes[node, NEXT], NEXT]
        if nodes[nodes[node, NEXT], VALUE] != value:
            return
    _replace(nodes, table, digrams, suspects, state, (node, other, slot))


@strict_kernel
def _replace(nodes, table, digrams, suspects, state, pair):
    """Put a rule in the place of a pair that occurs at `node` and at `other`."""
    node, other, slot = pair
    guard = _whole_rule(nodes, other)
    if guard == 0:
        guard = _whole_rule(nodes, node)
        if guard != 0:
            node, other = other, node
    if guard == 0:
        guard = _new_rule(nodes, state, node)
        table[slot, 2] = nodes[guard, NEXT]
        _substitute(nodes, table, digrams, state, other, guard)
    else:
        table[slot, 2] = other
    _substitute(nodes, table, digrams, state, node, guard)
    first = nodes[nodes[guard, NEXT], VALUE]
    last = nodes[nodes[guard, PREVIOUS], VALUE]
    if last <= RULE and not state[COMPAT]:
        suspects[state[SUSPECTS]] = RULE - last
        state[SUSPECTS] += 1
    if first <= RULE:
        suspects[state[SUSPECTS]] = RULE - first
        state[SUSPECTS] += 1


@strict_kernel
def _substitute(nodes, table, digrams, state, node, guard):
    """Let `node` stand for the rule, instead of for the first symbol of a pair."""
    before = nodes[node, PREVIOUS]
    gone = nodes[node, NEXT]
    after = nodes[gone, NEXT]
    _forget(nodes, table, before)
    _forget(nodes, table, node)
    _forget(nodes, table, gone)
    _release(nodes, node)
    _release(nodes, gone)
    nodes[node, VALUE] = RULE - guard
    _use(nodes, node)
    _link(nodes, node, after)
    _free(nodes, state, gone)
    if not state[COMPAT]:
        _recheck_runs(nodes, digrams, state, before, after)
    _push(digrams, state, node)
    _push(digrams, state, before)


@strict_kernel
def _dissolve(nodes, table, digrams, state, guard):
    """Put the body of a rule in the place of its only use."""
    node = nodes[guard, PLACES]
    before, after = nodes[node, PREVIOUS], nodes[node, NEXT]
    _forget(nodes, table, before)
    _forget(nodes, table, node)
    last = nodes[guard, PREVIOUS]
    _link(nodes, before, nodes[guard, NEXT])
    _link(nodes, last, after)
    _free(nodes, state, node)
    _free(nodes, state, guard)
    if state[COMPAT]:
        return
    _recheck_runs(nodes, digrams, state, before, after)
    _push(digrams, state, last)
    _push(digrams, state, before)


@strict_kernel
def _recheck_runs(nodes, digrams, state, before, after):
    """Look again at pairs x x whose entry stood for an overlapping pair that went."""
    value = nodes[before, VALUE]
    if value != GUARD and nodes[nodes[before, PREVIOUS], VALUE] == value:
        _push(digrams, state, nodes[before, PREVIOUS])
    value = nodes[after, VALUE]
    if value != GUARD and nodes[nodes[after, NEXT], VALUE] == value:
        _push(digrams, state, after)


@strict_kernel
def _whole_rule(nodes, node):
    """Return the guard of the rule whose body is the pair at `node`, or 0."""
    guard = nodes[node, PREVIOUS]
    if nodes[guard, VALUE] == GUARD and nodes[nodes[node, NEXT], NEXT] == guard:
        return guard
    return 0


@strict_kernel
def _new_rule(nodes, state, node):
    """Make a rule whose body is a copy of the pair at `node`; return its guard."""
    guard = _new_node(nodes, state, GUARD)
    nodes[guard, USES] = 0
    nodes[guard, PLACES] = 0
    first = _new_node(nodes, state, nodes[node, VALUE])
    second = _new_node(nodes, state, nodes[nodes[node, NEXT], VALUE])
    _link(nodes, guard, first)
    _link(nodes, first, second)
    _link(nodes, second, guard)
    return guard


@strict_kernel
def _new_node(nodes, state, value):
    """Take a free node and give it a value."""
    node = state[FREE]
    if node >= 0:
        state[FREE] = nodes[node, NEXT]
    else:
        node = state[FRESH]
        state[FRESH] += 1
    nodes[node, VALUE] = value
    _use(nodes, node)
    return node


@strict_kernel
def _free(nodes, state, node):
    """Return a node to the free ones."""
    nodes[node, VALUE] = DEAD
    nodes[node, NEXT] = state[FREE]
    state[FREE] = node


@strict_kernel
def _use(nodes, node):
    """Count the rule that `node` refers to as used here."""
    if nodes[node, VALUE] <= RULE:
        guard = RULE - nodes[node, VALUE]
        nodes[guard, USES] += 1
        nodes[guard, PLACES] ^= node


@strict_kernel
def _release(nodes, node):
    """Count the rule that `node` refers to as no longer used here."""
    if nodes[node, VALUE] <= RULE:
        guard = RULE - nodes[node, VALUE]
        nodes[guard, USES] -= 1
        nodes[guard, PLACES] ^= node


@strict_kernel
def _link(nodes, left, right):
    """Make two nodes neighbours."""
    nodes[left, NEXT] = right
    nodes[right, PREVIOUS] = left


@strict_kernel
def _push(digrams, state, node):
    """Note that the pair at `node` has to be looked at."""
    digrams[state[TOP]] = node
    state[TOP] += 1


@strict_kernel
def _with_room(work, used):
    """Return a work list that another step cannot overfill."""
    if used + ROOM <= len(work):
        return work
    longer = np.empty(2 * len(work), np.int64)
    longer[:used] = work[:used]
    return longer


@strict_kernel
def _slot(first, second, mask):
    """Preferred place of a pair in the table; no product exceeds 63 bits."""
    left, right = np.int64(first) & 0x7FFFFFFF, np.int64(second) & 0x7FFFFFFF
    mixed = (left * 2654435761) & 0xFFFFFFFF
    mixed = ((mixed ^ right) & 0x7FFFFFFF) * 2246822519
    return ((mixed & 0xFFFFFFFF) ^ (mixed >> 32)) & mask


@strict_kernel
def _find(table, first, second):
    """Return the place of a pair in the table, or the empty one where it belongs."""
    mask = len(table) - 1
    slot = _slot(first, second, mask)
    while table[slot, 2] >= 0 and (table[slot, 0] != first or table[slot, 1] != second):
        slot = (slot + 1) & mask
    return slot


@strict_kernel
def _forget(nodes, table, node):
    """Remove the pair at `node` from the table if the table means this place."""
    after = nodes[node, NEXT]
    if nodes[node, VALUE] == GUARD or nodes[after, VALUE] == GUARD:
        return
    slot = _find(table, nodes[node, VALUE], nodes[after, VALUE])
    if table[slot, 2] != node:
        return
    mask = len(table) - 1
    hole = slot
    while True:  # close the hole: move back what a search would no longer reach
        slot = (slot + 1) & mask
        if table[slot, 2] < 0:
            break
        home = _slot(table[slot, 0], table[slot, 1], mask)
        if ((slot - home) & mask) >= ((slot - hole) & mask):
            table[hole, :] = table[slot, :]
            hole = slot
    table[hole, 2] = -1


@strict_kernel
def _collect(nodes, m):
    """Write out the bodies of all rules, rule 0 first. See `infer` for the form."""
    number = np.full(len(nodes), -1, np.int64)
    guards = np.empty(len(nodes), np.int64)
    symbols = np.empty(m + 1, np.int64)
    number[0], guards[0] = 0, 0
    rules, done, k = 1, 0, 0
    offsets = np.zeros(len(nodes) + 1, np.int64)
    while done < rules:
        node = nodes[guards[done], NEXT]
        while nodes[node, VALUE] != GUARD:
            value = nodes[node, VALUE]
            if value <= RULE:
                guard = RULE - value
                if number[guard] < 0:
                    number[guard], guards[rules] = rules, guard
                    rules += 1
                value = -number[guard]
            symbols[k] = value
            k += 1
            node = nodes[node, NEXT]
        done += 1
        offsets[done] = k
    return symbols[:k].copy(), offsets[: done + 1].copy()
