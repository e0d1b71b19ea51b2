"""Sequitur: a grammar that grows word by word, on linked nodes in one int array.

A node is a row ``(value, next, previous, chain)``. A value from 0 on is a word, and
``-k`` refers to rule k; row k is the *guard* of rule k, which closes the ring of its
body, and symbols have the rows above. A guard has ``GUARD`` plus the uses of its rule
for a value, and keeps the exclusive or of the nodes that use it: when one use is left,
that is its place. Rows of 16 bytes, with the guards close together, serve a thousand
million words and keep the way to memory short.

The table of pairs is threaded through the nodes: a bucket is the head of a chain of
nodes whose pairs with the next node fall into it, so an entry takes no room of its own,
and a node tells by itself whether its pair is entered.

Two work lists keep the invariants. *Digrams*: nodes whose pair with the next node is
new, or may have lost its entry in the table. *Underused*: rules whose count of uses
fell. Each step replaces a repeated pair or dissolves a rule, so the work is linear.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel

VALUE, NEXT, PREVIOUS, CHAIN = 0, 1, 2, 3
PLACES = CHAIN  # of a guard
GUARD, DEAD = -(2**31), -(2**30)  # guards have values below DEAD
END, OUT = -1, -2  # end of a chain; not in a chain
# Fields of `state`: chains of freed rows and first row never used, of guards and of
# symbols; lengths of the work lists; jMotif's way or ours.
FREE_GUARD, FRESH_GUARD, FREE, FRESH, TOP, SUSPECTS, COMPAT = 0, 1, 2, 3, 4, 5, 6
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
    guards = m // 2 + 2  # every body has two symbols or more
    nodes = np.empty((guards + m + 4, 4), np.int32)
    size = 16
    while size < m:
        size *= 2
    heads = np.full(size, END, np.int32)
    state = np.zeros(7, np.int64)
    state[COMPAT] = 1 if compat else 0
    state[FREE_GUARD], state[FREE] = END, END
    state[FRESH] = guards
    _new_guard(nodes, state)  # of rule 0
    _link(nodes, 0, 0)
    digrams = np.empty(64, np.int64)
    suspects = np.empty(64, np.int64)
    for i in range(m):
        last = nodes[0, PREVIOUS]
        node = _new_node(nodes, state, words[i])
        _link(nodes, last, node)
        _link(nodes, node, 0)
        if i > 0 and (repeated[i - 1] or nodes[last, VALUE] < 0):
            _push(digrams, state, last)
        while state[TOP] + state[SUSPECTS] > 0:
            digrams = _with_room(digrams, state[TOP])
            suspects = _with_room(suspects, state[SUSPECTS])
            if state[TOP] > 0:
                state[TOP] -= 1
                node = digrams[state[TOP]]
                _check(nodes, heads, digrams, suspects, state, node)
            else:
                state[SUSPECTS] -= 1
                guard = suspects[state[SUSPECTS]]
                if nodes[guard, VALUE] == GUARD + 1:
                    _dissolve(nodes, heads, digrams, state, guard)
    return _collect(nodes, state[FRESH_GUARD], m)


@strict_kernel
def _check(nodes, heads, digrams, suspects, state, node):
    """Enter the pair that starts at `node`, or replace it where it repeats."""
    value, after = nodes[node, VALUE], nodes[node, NEXT]
    if value <= DEAD or nodes[after, VALUE] < DEAD or nodes[node, CHAIN] != OUT:
        return
    bucket = _bucket(nodes, heads, node)
    entered = _find(nodes, heads[bucket], value, nodes[after, VALUE])
    if entered == END:
        _enter(nodes, heads, bucket, node)
        return
    # Pairs inside a run x x x overlap; only a run of four holds the pair twice.
    other = entered
    if nodes[other, NEXT] == node:
        other = nodes[other, PREVIOUS]
        if nodes[other, VALUE] != value:
            return
    elif after == other:
        _move(nodes, heads, entered, node)
        entered, other = node, node
        node = nodes[after, NEXT]
        if nodes[nodes[node, NEXT], VALUE] != value:
            return
    _replace(nodes, heads, digrams, suspects, state, (node, other, entered))


@strict_kernel
def _replace(nodes, heads, digrams, suspects, state, pair):
    """Put a rule in the place of a pair that occurs at `node` and at `other`."""
    node, other, entered = pair
    guard = _whole_rule(nodes, other)
    if guard == 0:
        guard = _whole_rule(nodes, node)
        if guard != 0:
            node, other = other, node
    if guard == 0:
        guard = _new_rule(nodes, state, node)
        _move(nodes, heads, entered, nodes[guard, NEXT])
        _substitute(nodes, heads, digrams, state, other, guard)
    elif entered != other:
        _move(nodes, heads, entered, other)
    _substitute(nodes, heads, digrams, state, node, guard)
    first = nodes[nodes[guard, NEXT], VALUE]
    last = nodes[nodes[guard, PREVIOUS], VALUE]
    if last < 0 and not state[COMPAT]:
        suspects[state[SUSPECTS]] = -last
        state[SUSPECTS] += 1
    if first < 0:
        suspects[state[SUSPECTS]] = -first
        state[SUSPECTS] += 1


@strict_kernel
def _substitute(nodes, heads, digrams, state, node, guard):
    """Let `node` stand for the rule, instead of for the first symbol of a pair."""
    before = nodes[node, PREVIOUS]
    gone = nodes[node, NEXT]
    after = nodes[gone, NEXT]
    _forget(nodes, heads, before)
    _forget(nodes, heads, node)
    _forget(nodes, heads, gone)
    _release(nodes, node)
    _release(nodes, gone)
    nodes[node, VALUE] = -guard
    _use(nodes, node)
    _link(nodes, node, after)
    _free(nodes, state, gone)
    if not state[COMPAT]:
        _recheck_runs(nodes, digrams, state, before, after)
    _push(digrams, state, node)
    _push(digrams, state, before)


@strict_kernel
def _dissolve(nodes, heads, digrams, state, guard):
    """Put the body of a rule in the place of its only use."""
    node = nodes[guard, PLACES]
    before, after = nodes[node, PREVIOUS], nodes[node, NEXT]
    _forget(nodes, heads, before)
    _forget(nodes, heads, node)
    last = nodes[guard, PREVIOUS]
    _link(nodes, before, nodes[guard, NEXT])
    _link(nodes, last, after)
    _free(nodes, state, node)
    nodes[guard, VALUE] = DEAD
    nodes[guard, NEXT] = state[FREE_GUARD]
    state[FREE_GUARD] = guard
    if state[COMPAT]:
        return
    _recheck_runs(nodes, digrams, state, before, after)
    _push(digrams, state, last)
    _push(digrams, state, before)


@strict_kernel
def _recheck_runs(nodes, digrams, state, before, after):
    """Look again at pairs x x whose entry stood for an overlapping pair that went."""
    value = nodes[before, VALUE]
    if value > DEAD and nodes[nodes[before, PREVIOUS], VALUE] == value:
        _push(digrams, state, nodes[before, PREVIOUS])
    value = nodes[after, VALUE]
    if value > DEAD and nodes[nodes[after, NEXT], VALUE] == value:
        _push(digrams, state, after)


@strict_kernel
def _whole_rule(nodes, node):
    """Return the guard of the rule whose body is the pair at `node`, or 0."""
    guard = nodes[node, PREVIOUS]
    if nodes[guard, VALUE] < DEAD and nodes[nodes[node, NEXT], NEXT] == guard:
        return guard
    return 0


@strict_kernel
def _new_rule(nodes, state, node):
    """Make a rule whose body is a copy of the pair at `node`; return its guard."""
    guard = _new_guard(nodes, state)
    first = _new_node(nodes, state, nodes[node, VALUE])
    second = _new_node(nodes, state, nodes[nodes[node, NEXT], VALUE])
    _link(nodes, guard, first)
    _link(nodes, first, second)
    _link(nodes, second, guard)
    return guard


@strict_kernel
def _new_guard(nodes, state):
    """Take a free guard, of a rule without uses."""
    guard = state[FREE_GUARD]
    if guard != END:
        state[FREE_GUARD] = nodes[guard, NEXT]
    else:
        guard = state[FRESH_GUARD]
        state[FRESH_GUARD] += 1
    nodes[guard, VALUE], nodes[guard, PLACES] = GUARD, 0
    return guard


@strict_kernel
def _new_node(nodes, state, value):
    """Take a free node and give it a value."""
    node = state[FREE]
    if node != END:
        state[FREE] = nodes[node, NEXT]
    else:
        node = state[FRESH]
        state[FRESH] += 1
    nodes[node, VALUE], nodes[node, CHAIN] = value, OUT
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
    if nodes[node, VALUE] < 0:
        guard = -nodes[node, VALUE]
        nodes[guard, VALUE] += 1
        nodes[guard, PLACES] ^= node


@strict_kernel
def _release(nodes, node):
    """Count the rule that `node` refers to as no longer used here."""
    if nodes[node, VALUE] < 0:
        guard = -nodes[node, VALUE]
        nodes[guard, VALUE] -= 1
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
def _bucket(nodes, heads, node):
    """Bucket of the pair at `node`; no product exceeds 63 bits."""
    left = np.int64(nodes[node, VALUE]) & 0x7FFFFFFF
    right = np.int64(nodes[nodes[node, NEXT], VALUE]) & 0x7FFFFFFF
    mixed = (left * 2654435761) & 0xFFFFFFFF
    mixed = ((mixed ^ right) & 0x7FFFFFFF) * 2246822519
    return ((mixed & 0xFFFFFFFF) ^ (mixed >> 32)) & (len(heads) - 1)


@strict_kernel
def _find(nodes, node, first, second):
    """Return where in the chain from `node` on a pair is entered, or END."""
    while node != END and (
        nodes[node, VALUE] != first or nodes[nodes[node, NEXT], VALUE] != second
    ):
        node = nodes[node, CHAIN]
    return node


@strict_kernel
def _enter(nodes, heads, bucket, node):
    """Let a bucket begin with the pair at `node`."""
    nodes[node, CHAIN] = heads[bucket]
    heads[bucket] = node


@strict_kernel
def _forget(nodes, heads, node):
    """Remove the pair at `node` from the table if it is entered."""
    if nodes[node, VALUE] < DEAD or nodes[node, CHAIN] == OUT:
        return
    bucket = _bucket(nodes, heads, node)
    after = nodes[node, CHAIN]
    nodes[node, CHAIN] = OUT
    at = heads[bucket]
    if at == node:
        heads[bucket] = after
        return
    while nodes[at, CHAIN] != node:
        at = nodes[at, CHAIN]
    nodes[at, CHAIN] = after


@strict_kernel
def _move(nodes, heads, node, other):
    """Let the entry of the pair at `node` mean the same pair at `other`."""
    _forget(nodes, heads, node)
    _enter(nodes, heads, _bucket(nodes, heads, other), other)


@strict_kernel
def _collect(nodes, guards, m):
    """Write out the bodies of all rules, rule 0 first. See `infer` for the form."""
    number = np.full(guards, -1, np.int64)
    order = np.empty(guards, np.int64)
    offsets = np.zeros(guards + 1, np.int64)
    symbols = np.empty(m, np.int64)
    number[0], order[0] = 0, 0
    rules, done, k = 1, 0, 0
    while done < rules:
        node = nodes[order[done], NEXT]
        while nodes[node, VALUE] > DEAD:
            value = nodes[node, VALUE]
            if value < 0:
                guard = -value
                if number[guard] < 0:
                    number[guard], order[rules] = rules, guard
                    rules += 1
                value = -number[guard]
            symbols[k] = value
            k += 1
            node = nodes[node, NEXT]
        done += 1
        offsets[done] = k
    return symbols[:k].copy(), offsets[: done + 1].copy()
