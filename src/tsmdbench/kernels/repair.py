"""Re-Pair: replace the most frequent pair by a rule, until no pair repeats.

The sequence is a linked list over positions. Every place but the last starts a pair;
the places of one pair form a list in order of position, and a pair knows how often it
can be replaced without overlap: a run of r equal symbols holds r // 2 of it.

Counts only fall once a pair has been entered, so rounds go from the highest count
down. Pairs with lower counts wait in a list per count; only those with the current
count are kept in order of their first place, in a tree of 32-bit words over the
positions: finding the first one costs four steps for a million words.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel

NONE = -1
SYMBOL, NEXT, PREVIOUS, PAIR, AFTER, BEFORE = 0, 1, 2, 3, 4, 5  # fields of a place
# Fields of both ends of a run: other end, length. Apart, since most places need none.
MATE, RUN = 0, 1
# Fields of a pair: symbols, count, first and last place, neighbours in a chain.
LEFT, RIGHT, COUNT, FIRST, LAST, UP, DOWN = 0, 1, 2, 3, 4, 5, 6
# Fields of `state`: chain of freed pairs and first one never used, chain of new pairs,
# count of this round, symbol of the rule that is made, and from LEVELS on where the
# levels of the tree begin, leaves first.
FREE, FRESH, NEW, CURRENT, RULE, DEPTH, LEVELS = 0, 1, 2, 3, 4, 5, 6
FAN = 32  # bits that a word of the tree uses


@strict_kernel
def infer(words, repeated, terminals):
    """Grammar of a sequence of words below `terminals`. i8[m] -> symbols, offsets.

    The highest count first; among equal counts the pair that occurs first. The form
    and `repeated` are those of `sequitur.infer`. O(m) expected, times the depth of the
    tree.
    """
    m = len(words)
    seq = np.empty((m + 1, 6), np.int32)
    runs = np.empty((m + 1, 2), np.int32)
    pairs = np.empty((m + 2, 7), np.int32)
    size = 16
    while size < m + m // 4:  # places that have a pair, and some room
        size *= 2
    table = np.full(size, NONE, np.int32)
    waiting = np.full(m // 2 + 2, NONE, np.int32)
    state = np.full(16, NONE, np.int64)
    tree = np.zeros(_plan_tree(state, m), np.int64)
    state[FRESH] = 0
    state[CURRENT] = len(waiting)
    _enter_words(words, repeated, seq, runs, pairs, table, state)
    _settle(seq, pairs, table, waiting, tree, state)
    rules = np.empty((m // 2 + 1, 2), np.int64)
    beside = np.zeros((terminals + len(rules), 2), np.int32)
    made = 0
    for count in range(len(waiting) - 1, 1, -1):
        state[CURRENT] = count
        pair = waiting[count]
        while pair >= 0:
            _mark(tree, state, pairs[pair, FIRST])
            pair = pairs[pair, UP]
        place = _lowest(tree, state)
        while place >= 0:
            pair = seq[place, PAIR]
            rules[made, 0], rules[made, 1] = pairs[pair, LEFT], pairs[pair, RIGHT]
            state[RULE] = terminals + made
            _unmark(tree, state, place)
            _take(seq, runs, pairs, table, waiting, tree, state, pair)
            _enter_rule(seq, runs, pairs, table, state, beside, pair)
            _settle(seq, pairs, table, waiting, tree, state)
            made += 1
            place = _lowest(tree, state)
    return _collect(seq, rules[:made], terminals)


@strict_kernel
def _enter_words(words, repeated, seq, runs, pairs, table, state):
    """Link the words and enter their pairs that occur again."""
    m = len(words)
    for i in range(m):
        seq[i, SYMBOL] = words[i]
        seq[i, PREVIOUS] = i - 1
        seq[i, PAIR] = NONE
        seq[i, NEXT] = i + 1 if i + 1 < m else NONE
    first = 0
    for i in range(m):
        if i + 1 < m and repeated[i]:
            _enter(seq, pairs, table, state, i)
        if i + 1 == m or words[i + 1] != words[i]:
            _close_run(seq, runs, pairs, first, i, i + 1 - first)
            first = i + 1


@strict_kernel
def _take(seq, runs, pairs, table, waiting, tree, state, pair):
    """Replace a pair from left to right; withdraw the pairs that this breaks.

    The places keep their order in the chain of `pair`, which is left without count.
    """
    left, right = pairs[pair, LEFT], pairs[pair, RIGHT]
    pairs[pair, COUNT] = 0
    place = pairs[pair, FIRST]
    while place >= 0:
        gone = seq[place, NEXT]
        if seq[place, SYMBOL] == left and gone >= 0 and seq[gone, SYMBOL] == right:
            before, after = seq[place, PREVIOUS], seq[gone, NEXT]
            if before >= 0 and seq[before, PAIR] >= 0 and seq[before, PAIR] != pair:
                by = 1
                if seq[before, SYMBOL] == left:
                    by = _shorten(runs, place, before)
                _withdraw(seq, pairs, table, waiting, tree, state, before, by)
            if after >= 0 and seq[gone, PAIR] >= 0 and seq[gone, PAIR] != pair:
                by = 1
                if seq[after, SYMBOL] == right:
                    by = _shorten(runs, gone, after)
                _withdraw(seq, pairs, table, waiting, tree, state, gone, by)
            seq[place, SYMBOL] = state[RULE]
            seq[place, PAIR] = NONE
            seq[place, NEXT] = after
            seq[gone, SYMBOL] = NONE
            seq[gone, PAIR] = NONE
            if after >= 0:
                seq[after, PREVIOUS] = place
        place = seq[place, AFTER]


@strict_kernel
def _enter_rule(seq, runs, pairs, table, state, beside, pair):
    """Enter the pairs that a new symbol forms, and drop the pair that it replaced.

    Most would occur once: only those are entered whose other symbol is there twice.
    """
    symbol = state[RULE]
    place = pairs[pair, FIRST]
    _drop(pairs, table, state, pair)
    _look_beside(seq, beside, place, symbol)
    first, last, run = place, place, 0
    while place >= 0:
        following = seq[place, AFTER]
        if seq[place, SYMBOL] == symbol:
            before, after = seq[place, PREVIOUS], seq[place, NEXT]
            if before < 0 or seq[before, SYMBOL] != symbol:
                _close_run(seq, runs, pairs, first, last, run)
                first, run = place, 0
                if before >= 0 and beside[seq[before, SYMBOL], 0] == 2 * symbol + 1:
                    _enter(seq, pairs, table, state, before)
            if after >= 0 and beside[seq[after, SYMBOL], 1] == 2 * symbol + 1:
                _enter(seq, pairs, table, state, place)
            last = place
            run += 1
        place = following
    _close_run(seq, runs, pairs, first, last, run)


@strict_kernel
def _look_beside(seq, beside, place, symbol):
    """Write down what stands before and after a new symbol, once or more often.

    The first time leaves twice `symbol`, and the second 1 more: higher than what any
    earlier symbol has left.
    """
    while place >= 0:
        if seq[place, SYMBOL] == symbol:
            before, after = seq[place, PREVIOUS], seq[place, NEXT]
            if before >= 0:
                left = seq[before, SYMBOL]
                beside[left, 0] = 2 * symbol + (beside[left, 0] >= 2 * symbol)
            if after >= 0:
                right = seq[after, SYMBOL]
                beside[right, 1] = 2 * symbol + (beside[right, 1] >= 2 * symbol)
        place = seq[place, AFTER]


@strict_kernel
def _enter(seq, pairs, table, state, place):
    """Append a place to its pair; a pair of two equal symbols is counted by runs."""
    left, right = seq[place, SYMBOL], seq[seq[place, NEXT], SYMBOL]
    slot = _find(pairs, table, left, right)
    pair = table[slot]
    if pair < 0:
        pair = state[FREE]
        if pair >= 0:
            state[FREE] = pairs[pair, UP]
        else:
            pair = state[FRESH]
            state[FRESH] += 1
        table[slot] = pair
        pairs[pair, LEFT], pairs[pair, RIGHT], pairs[pair, COUNT] = left, right, 0
        pairs[pair, FIRST], pairs[pair, LAST] = place, NONE
        pairs[pair, UP], state[NEW] = state[NEW], pair
    last = pairs[pair, LAST]
    if last >= 0:
        seq[last, AFTER] = place
    seq[place, BEFORE], seq[place, AFTER] = last, NONE
    seq[place, PAIR] = pair
    pairs[pair, LAST] = place
    if left != right:
        pairs[pair, COUNT] += 1


@strict_kernel
def _close_run(seq, runs, pairs, first, last, length):
    """Count the pairs of a run of equal symbols, and let its ends know each other."""
    if length < 2 or seq[first, PAIR] < 0:
        return
    pairs[seq[first, PAIR], COUNT] += length // 2
    runs[first, MATE], runs[last, MATE] = last, first
    runs[first, RUN], runs[last, RUN] = length, length


@strict_kernel
def _shorten(runs, end, new_end):
    """Take one end off a run; return by how much the count of its pair falls."""
    other, length = runs[end, MATE], runs[end, RUN]
    runs[new_end, MATE], runs[other, MATE] = other, new_end
    runs[new_end, RUN], runs[other, RUN] = length - 1, length - 1
    return 1 - length % 2


@strict_kernel
def _withdraw(seq, pairs, table, waiting, tree, state, place, by):
    """Take a place away from its pair, whose count falls by 1 or 0."""
    pair = seq[place, PAIR]
    count = pairs[pair, COUNT]
    if count == state[CURRENT]:
        _unmark(tree, state, pairs[pair, FIRST])
    else:
        _unchain(pairs, waiting, pair)
    before, after = seq[place, BEFORE], seq[place, AFTER]
    if before >= 0:
        seq[before, AFTER] = after
    else:
        pairs[pair, FIRST] = after
    if after >= 0:
        seq[after, BEFORE] = before
    else:
        pairs[pair, LAST] = before
    seq[place, PAIR] = NONE
    pairs[pair, COUNT] = count - by
    _file(seq, pairs, table, waiting, tree, state, pair)


@strict_kernel
def _settle(seq, pairs, table, waiting, tree, state):
    """File the new pairs, whose counts are now complete."""
    pair = state[NEW]
    state[NEW] = NONE
    while pair >= 0:
        following = pairs[pair, UP]
        _file(seq, pairs, table, waiting, tree, state, pair)
        pair = following


@strict_kernel
def _file(seq, pairs, table, waiting, tree, state, pair):
    """Put a pair where its turn will find it: into the tree, or on a waiting list.

    A pair that does not repeat has no turn: its places, two at most, forget it.
    """
    count = pairs[pair, COUNT]
    if count < 2:
        place = pairs[pair, FIRST]
        while place >= 0:
            seq[place, PAIR] = NONE
            place = seq[place, AFTER]
        _drop(pairs, table, state, pair)
    elif count == state[CURRENT]:
        _mark(tree, state, pairs[pair, FIRST])
    else:
        up = waiting[count]
        pairs[pair, UP], pairs[pair, DOWN] = up, NONE
        if up >= 0:
            pairs[up, DOWN] = pair
        waiting[count] = pair


@strict_kernel
def _unchain(pairs, waiting, pair):
    """Take a pair off its waiting list."""
    up, down = pairs[pair, UP], pairs[pair, DOWN]
    if down >= 0:
        pairs[down, UP] = up
    else:
        waiting[pairs[pair, COUNT]] = up
    if up >= 0:
        pairs[up, DOWN] = down


@strict_kernel
def _slot(left, right, mask):
    """Preferred place of a pair in the table; no product exceeds 63 bits."""
    mixed = ((np.int64(left) & 0x7FFFFFFF) * 2654435761) & 0xFFFFFFFF
    mixed = ((mixed ^ (np.int64(right) & 0x7FFFFFFF)) & 0x7FFFFFFF) * 2246822519
    return ((mixed & 0xFFFFFFFF) ^ (mixed >> 32)) & mask


@strict_kernel
def _find(pairs, table, left, right):
    """Return the slot of a pair in the table, or the empty one where it belongs."""
    mask = len(table) - 1
    slot = _slot(left, right, mask)
    while table[slot] >= 0 and (
        pairs[table[slot], LEFT] != left or pairs[table[slot], RIGHT] != right
    ):
        slot = (slot + 1) & mask
    return slot


@strict_kernel
def _drop(pairs, table, state, pair):
    """Remove a pair from the table and set it free."""
    mask = len(table) - 1
    slot = _find(pairs, table, pairs[pair, LEFT], pairs[pair, RIGHT])
    hole = slot
    while True:  # close the hole: move back what a search would no longer reach
        slot = (slot + 1) & mask
        if table[slot] < 0:
            break
        home = _slot(pairs[table[slot], LEFT], pairs[table[slot], RIGHT], mask)
        if ((slot - home) & mask) >= ((slot - hole) & mask):
            table[hole] = table[slot]
            hole = slot
    table[hole] = NONE
    pairs[pair, COUNT] = 0
    pairs[pair, UP], state[FREE] = state[FREE], pair


@strict_kernel
def _plan_tree(state, m):
    """Lay out the levels of a tree over positions below m; return its size."""
    size, width, level = 0, m, 0
    while level == 0 or width > 1:
        state[LEVELS + level] = size
        width = (width + FAN - 1) // FAN
        size += max(width, 1)
        level += 1
    state[DEPTH] = level
    return size


@strict_kernel
def _mark(tree, state, place):
    """Add a position to the tree."""
    at = np.int64(place)
    for level in range(state[DEPTH]):
        tree[state[LEVELS + level] + at // FAN] |= 1 << (at % FAN)
        at //= FAN


@strict_kernel
def _unmark(tree, state, place):
    """Remove a position from the tree."""
    at = np.int64(place)
    for level in range(state[DEPTH]):
        word = state[LEVELS + level] + at // FAN
        tree[word] &= ~(1 << (at % FAN))
        if tree[word] != 0:
            return
        at //= FAN


@strict_kernel
def _lowest(tree, state):
    """Return the lowest position of the tree, or NONE."""
    place = 0
    for level in range(state[DEPTH] - 1, -1, -1):
        word = tree[state[LEVELS + level] + place]
        if word == 0:
            return NONE
        place *= FAN
        step = FAN // 2
        while step > 0:  # skip the lower half while it is empty
            if word & ((1 << step) - 1) == 0:
                word >>= step
                place += step
            step //= 2
    return place


@strict_kernel
def _collect(seq, rules, terminals):
    """Write out rule 0 and the pairs. See `sequitur.infer` for the form."""
    symbols = np.empty(len(seq) + 2 * len(rules), np.int64)
    offsets = np.empty(len(rules) + 2, np.int64)
    k = 0
    place = 0 if len(seq) > 1 else NONE
    while place >= 0:
        symbols[k] = seq[place, SYMBOL]
        k += 1
        place = seq[place, NEXT]
    offsets[0], offsets[1] = 0, k
    for rule in range(len(rules)):
        symbols[k], symbols[k + 1] = rules[rule, 0], rules[rule, 1]
        k += 2
        offsets[rule + 2] = k
    for i in range(k):
        if symbols[i] >= terminals:
            symbols[i] = terminals - 1 - symbols[i]
    return symbols[:k].copy(), offsets
