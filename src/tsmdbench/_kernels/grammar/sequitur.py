"""Sequitur: a grammar that grows word by word, on linked nodes in one flat array.

A node is known by the place of the first of its four fields: *value*, *next*,
*previous*, *chain*. A value below ``RULE`` is a word, and ``RULE + guard`` refers to a
rule by its *guard*: the node that closes the ring of its body. The guards come first,
close together. A guard has ``GUARD`` plus the uses of its rule for a value, and keeps
the exclusive or of the nodes that use it: when one use is left, that is its place.

The table of pairs is threaded through the nodes. A bucket holds the first node of a
chain of those whose pairs with the next node fall into it, so an entry takes no room of
its own, and a node tells by itself whether its pair is entered.

Two work lists keep the invariants. *Digrams*: nodes whose pair with the next node is
new, or may have lost its entry in the table. *Suspects*: rules whose count of uses
fell. Each step replaces a repeated pair or dissolves a rule, so the work is linear.

Memory decides the speed: 16 bytes per node and 4 per bucket, of unsigned numbers of 32
bits since compiled code tests signed ones for being negative wherever they index. They
serve five hundred million words.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel

FIELDS = 4
VALUE, NEXT, PREVIOUS, CHAIN = 0, 1, 2, 3
PLACES = CHAIN  # of a guard
RULE, DEAD, GUARD = 2**31, 3 * 2**30 - 1, 3 * 2**30
# What is in a chain where it ends, and in a node that is in none: it is not entered
# now, or its pair is unique and never will be. No node that is entered has these names.
END, OUT, UNIQUE = 0, 1, 2
# Fields of `state`: chains of freed guards and of other nodes, the first ones never
# used, lengths of the work lists.
FREE_GUARD, FREE, FRESH_GUARD, FRESH, DIGRAMS, SUSPECTS = range(6)
DIGRAM, SUSPECT = 0, 1  # columns of the work lists
ROOM = 16  # no step puts more than this on a work list


@strict_kernel
def infer(words, repeated):
    """Grammar of a sequence. i8[m], b1[m - 1] -> symbols i8[.], offsets i8[rules + 1].

    Rule k is ``symbols[offsets[k]:offsets[k + 1]]``, rule 0 the whole sequence; a
    symbol is a word, or ``-k`` for rule k. `repeated` is where `digrams.numbered` is
    not 0: a pair of symbols is never entered where the words that meet in it are a pair
    that occurs once. O(m) expected.
    """
    m = len(words)
    guards = FIELDS * (m // 2 + 2)  # every body has two symbols or more
    nodes = np.empty(guards + FIELDS * (m + 4), np.uint32)
    size = 16
    while size < m // 2:
        size *= 2
    heads = np.full(size, END, np.uint32)
    state = np.zeros(6, np.uint32)
    state[FREE_GUARD], state[FREE] = END, END
    state[FRESH_GUARD], state[FRESH] = FIELDS, guards
    nodes[VALUE] = GUARD  # of rule 0; its ring is empty
    _link(nodes, 0, 0)
    work = np.empty((ROOM, 2), np.uint32)  # made longer below, in any run
    read = 0
    while True:
        read = _read(nodes, heads, work, state, words, repeated, read)
        if state[DIGRAMS] + state[SUSPECTS] == 0:
            return _collect(nodes, state[FRESH_GUARD] // FIELDS, m)
        longer = np.empty((2 * len(work), 2), np.uint32)
        longer[: len(work)] = work
        work = longer


@strict_kernel
def _read(nodes, heads, work, state, words, repeated, read):
    """Append words from `read` on, until a work list is full; return the next one.

    The lists are made longer elsewhere: an array that may be replaced in a loop has its
    references counted in every turn of it.
    """
    if not _settle(nodes, heads, work, state):
        return read
    for i in range(read, len(words)):
        last = nodes[0 + PREVIOUS]
        node = _take(nodes, state)
        _set(nodes, node, words[i])
        _link(nodes, last, node)
        _link(nodes, node, 0)
        if i < len(repeated) and not repeated[i]:
            nodes[node + CHAIN] = UNIQUE
        if i > 0 and repeated[i - 1]:
            _push(work, state, last)
            if not _settle(nodes, heads, work, state):
                return i + 1
    return len(words)


@strict_kernel
def _settle(nodes, heads, work, state):
    """Work off the lists; return whether they had room for it."""
    while state[DIGRAMS] + state[SUSPECTS] > 0:
        if max(state[DIGRAMS], state[SUSPECTS]) + ROOM > len(work):
            return False
        if state[DIGRAMS] > 0:
            state[DIGRAMS] -= 1
            _check(nodes, heads, work, state, work[state[DIGRAMS], DIGRAM])
        else:
            state[SUSPECTS] -= 1
            guard = work[state[SUSPECTS], SUSPECT]
            if nodes[guard + VALUE] == GUARD + 1:
                _dissolve(nodes, heads, work, state, guard)
    return True


@strict_kernel
def _check(nodes, heads, work, state, node):
    """Enter the pair that starts at `node`, or replace it where it repeats."""
    value, after = nodes[node + VALUE], nodes[node + NEXT]
    if value >= DEAD or nodes[node + CHAIN] != OUT or nodes[after + VALUE] >= GUARD:
        return
    bucket = _bucket(nodes, heads, node)
    entered = _find(nodes, heads[bucket], value, nodes[after + VALUE])
    if entered == END:
        _enter(nodes, heads, bucket, node)
        return
    # Pairs inside a run x x x overlap; only a run of four holds the pair twice.
    other = entered
    if nodes[other + NEXT] == node:
        other = nodes[other + PREVIOUS]
        if nodes[other + VALUE] != value:
            return
    elif after == other:
        _move(nodes, heads, entered, node)
        entered, other = node, node
        node = nodes[after + NEXT]
        if nodes[nodes[node + NEXT] + VALUE] != value:
            return
    _replace(nodes, heads, work, state, node, other, entered)


@strict_kernel
def _replace(nodes, heads, work, state, node, other, entered):
    """Put a rule in the place of a pair that occurs at `node` and at `other`."""
    first, last = nodes[node + VALUE], nodes[nodes[node + NEXT] + VALUE]
    guard = _whole_rule(nodes, other)
    if guard == 0:
        guard = _whole_rule(nodes, node)
        if guard != 0:
            node, other = other, node
    if guard == 0:
        guard = _new_rule(nodes, state, first, last)
        _move(nodes, heads, entered, nodes[guard + NEXT])
        _substitute(nodes, heads, work, state, other, guard)
    elif entered != other:
        _move(nodes, heads, entered, other)
    _substitute(nodes, heads, work, state, node, guard)
    if last >= RULE:
        _suspect(work, state, last - RULE)
    if first >= RULE:
        _suspect(work, state, first - RULE)


@strict_kernel
def _substitute(nodes, heads, work, state, node, guard):
    """Let `node` stand for the rule, instead of for the first symbol of a pair."""
    before = nodes[node + PREVIOUS]
    gone = nodes[node + NEXT]
    after = nodes[gone + NEXT]
    _forget(nodes, heads, before)
    _forget(nodes, heads, node)
    _forget(nodes, heads, gone)
    _release(nodes, node)
    _release(nodes, gone)
    nodes[node + VALUE] = RULE + guard
    nodes[node + CHAIN] = nodes[gone + CHAIN]
    _use(nodes, node)
    _link(nodes, node, after)
    _free(nodes, state, FREE, gone)
    _recheck_runs(nodes, work, state, before, after)
    _push(work, state, node)
    _push(work, state, before)


@strict_kernel
def _dissolve(nodes, heads, work, state, guard):
    """Put the body of a rule in the place of its only use."""
    node = nodes[guard + PLACES]
    before, after = nodes[node + PREVIOUS], nodes[node + NEXT]
    _forget(nodes, heads, before)
    _forget(nodes, heads, node)
    last = nodes[guard + PREVIOUS]
    nodes[last + CHAIN] = nodes[node + CHAIN]
    _link(nodes, before, nodes[guard + NEXT])
    _link(nodes, last, after)
    _free(nodes, state, FREE, node)
    _free(nodes, state, FREE_GUARD, guard)
    _recheck_runs(nodes, work, state, before, after)
    _push(work, state, last)
    _push(work, state, before)


@strict_kernel
def _recheck_runs(nodes, work, state, before, after):
    """Look again at pairs x x whose entry stood for an overlapping pair that went."""
    value, earlier = nodes[before + VALUE], nodes[before + PREVIOUS]
    if value < GUARD and nodes[earlier + VALUE] == value:
        _push(work, state, earlier)
    value, later = nodes[after + VALUE], nodes[after + NEXT]
    if value < GUARD and nodes[later + VALUE] == value:
        _push(work, state, after)


@strict_kernel
def _whole_rule(nodes, node):
    """Return the guard of the rule whose body is the pair at `node`, or 0."""
    guard = nodes[node + PREVIOUS]
    if nodes[guard + VALUE] >= GUARD and nodes[nodes[node + NEXT] + NEXT] == guard:
        return guard
    return np.uint32(0)


@strict_kernel
def _new_rule(nodes, state, first, last):
    """Make a rule whose body is a pair of values; return its guard."""
    guard = state[FREE_GUARD]
    if guard != END:
        state[FREE_GUARD] = nodes[guard + NEXT]
    else:
        guard = state[FRESH_GUARD]
        state[FRESH_GUARD] += FIELDS
    nodes[guard + VALUE], nodes[guard + PLACES] = GUARD, 0
    left, right = _take(nodes, state), _take(nodes, state)
    _set(nodes, left, first)
    _set(nodes, right, last)
    _link(nodes, guard, left)
    _link(nodes, left, right)
    _link(nodes, right, guard)
    return guard


@strict_kernel
def _take(nodes, state):
    """Return a free node."""
    node = state[FREE]
    if node != END:
        state[FREE] = nodes[node + NEXT]
    else:
        node = state[FRESH]
        state[FRESH] += FIELDS
    return node


@strict_kernel
def _set(nodes, node, value):
    """Give a new node a value."""
    nodes[node + VALUE], nodes[node + CHAIN] = value, OUT
    _use(nodes, node)


@strict_kernel
def _free(nodes, state, free, node):
    """Return a node to the free ones."""
    nodes[node + VALUE] = DEAD
    nodes[node + NEXT] = state[free]
    state[free] = node


@strict_kernel
def _use(nodes, node):
    """Count the rule that `node` refers to as used here."""
    if nodes[node + VALUE] >= RULE:
        guard = nodes[node + VALUE] - RULE
        nodes[guard + VALUE] += 1
        nodes[guard + PLACES] ^= node


@strict_kernel
def _release(nodes, node):
    """Count the rule that `node` refers to as no longer used here."""
    if nodes[node + VALUE] >= RULE:
        guard = nodes[node + VALUE] - RULE
        nodes[guard + VALUE] -= 1
        nodes[guard + PLACES] ^= node


@strict_kernel
def _link(nodes, left, right):
    """Make two nodes neighbours."""
    nodes[left + NEXT] = right
    nodes[right + PREVIOUS] = left


@strict_kernel
def _push(work, state, node):
    """Note that the pair at `node` has to be looked at."""
    work[state[DIGRAMS], DIGRAM] = node
    state[DIGRAMS] += 1


@strict_kernel
def _suspect(work, state, guard):
    """Note that a rule may have lost all uses but one."""
    work[state[SUSPECTS], SUSPECT] = guard
    state[SUSPECTS] += 1


@strict_kernel
def _bucket(nodes, heads, node):
    """Bucket of the pair at `node`; no product exceeds 63 bits."""
    left = np.int64(nodes[node + VALUE])
    right = np.int64(nodes[nodes[node + NEXT] + VALUE])
    mixed = ((left & 0x7FFFFFFF) * 2654435761) & 0xFFFFFFFF
    mixed = ((mixed ^ right) & 0x7FFFFFFF) * 2246822519
    return ((mixed & 0xFFFFFFFF) ^ (mixed >> 32)) & (len(heads) - 1)


@strict_kernel
def _find(nodes, node, first, second):
    """Return where in the chain from `node` on a pair is entered, or END."""
    while node != END:
        if nodes[node + VALUE] == first and nodes[nodes[node + NEXT] + VALUE] == second:
            break
        node = nodes[node + CHAIN]
    return node


@strict_kernel
def _enter(nodes, heads, bucket, node):
    """Let a bucket begin with the pair at `node`."""
    nodes[node + CHAIN] = heads[bucket]
    heads[bucket] = node


@strict_kernel
def _forget(nodes, heads, node):
    """Remove the pair at `node` from the table if it is entered."""
    after = nodes[node + CHAIN]
    if after == OUT or after == UNIQUE or nodes[node + VALUE] >= GUARD:
        return
    nodes[node + CHAIN] = OUT
    bucket = _bucket(nodes, heads, node)
    at = heads[bucket]
    if at == node:
        heads[bucket] = after
        return
    while nodes[at + CHAIN] != node:
        at = nodes[at + CHAIN]
    nodes[at + CHAIN] = after


@strict_kernel
def _move(nodes, heads, node, other):
    """Let the entry of the pair at `node` mean the same pair at `other`."""
    _forget(nodes, heads, node)
    _enter(nodes, heads, _bucket(nodes, heads, other), other)


@strict_kernel
def _collect(nodes, guards, m):
    """Write out the bodies of all rules, rule 0 first. See `infer` for the form."""
    number = np.zeros(guards, np.int64)
    order = np.zeros(guards, np.int64)
    offsets = np.zeros(guards + 1, np.int64)
    symbols = np.empty(m, np.int64)
    rules, done, k = 1, 0, 0
    while done < rules:
        node = nodes[FIELDS * order[done] + NEXT]
        while nodes[node + VALUE] < DEAD:
            symbol = np.int64(nodes[node + VALUE])
            if symbol >= RULE:
                guard = (symbol - RULE) // FIELDS
                if number[guard] == 0:
                    number[guard], order[rules] = rules, guard
                    rules += 1
                symbol = -number[guard]
            symbols[k] = symbol
            k += 1
            node = nodes[node + NEXT]
        done += 1
        offsets[done] = k
    return symbols[:k].copy(), offsets[: done + 1].copy()
