"""Re-Pair: replace the most frequent pair by a rule, until no pair repeats.

*Places* are the positions of the sequence with a guard at either end. A place has a
symbol and the number of the pair that it starts, 0 for a pair that does not repeat. A
symbol stands where it begins; of the other places that it covers the first and the last
say how many it covers, so neighbours are found without links.

*Pairs* of words have their numbers from `digrams.numbered`. Any other pair holds a new
symbol, and all its places are known when that symbol is made: they are written next to
each other into `pool`, ascending, and nothing has to be searched for ever after. A pair
knows how often it can be replaced without overlap: a run of r equal symbols holds
r // 2 of it. Where a neighbour is replaced a place forgets its pair, whose count falls,
and stays in `pool`: a place belongs to a pair as long as it has its number.

*Rounds* go from the highest count down, since counts only fall once a pair has been
entered. A pair waits in the list of a count that it had, and moves down if it has less
when that round comes. Those of the current count are kept by their first place in a set
(`lowest`) that may hold places which have lost their pair.

*Runs* are measured by walking along them. That stays linear: a run x x x is only
touched by a pair that is replaced at least as often as x x could be.

Memory decides the speed: 8 bytes per place and 4 per entry of `pool`, of unsigned
numbers of 32 bits since compiled code tests signed ones for being negative wherever
they index. They serve a billion words.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel

FAN, SHIFT = 32, 5  # bits that a word uses; 2**SHIFT of them
# A tree begins with its number of levels and with where they begin, leaves first; there
# are seven at most, so the words follow from WORDS on.
DEPTH, LEVELS, WORDS = 0, 1, 8
EMPTY = 2**32 - 1  # no position
SYMBOL, PAIR, FIELDS = 0, 1, 2  # of a place; place p begins at FIELDS * p
COVERED = 2**31  # plus how many places its symbol covers: what a covered place says
NONE = 0  # number of no pair, end of a waiting list
# Fields of a pair: how often it can be replaced, its part of `pool`, the next one in
# its waiting list.
COUNT, BEGIN, END, LINK, WIDTH = 0, 1, 2, 3, 4
BEFORE, AFTER = 0, 1  # fields of `beside`, per symbol
MADE = 2**31  # plus the number of a pair: what `beside` says once there is one
# Fields of `state`: first pair and first entry of `pool` never used, count of this
# round, symbol of the rule that is made.
FRESH, FILLED, CURRENT, RULE = 0, 1, 2, 3


@strict_kernel
def infer(words, numbers, terminals):
    """Grammar of words below `terminals`. i8[m], u4[m - 1] -> symbols, offsets.

    The highest count first; among equal counts the pair that occurs first. The form is
    that of `sequitur.infer`; `numbers` is that of `digrams.numbered`. O(m), times the
    depth of the set of places.
    """
    m = len(words)
    seq = np.empty(FIELDS * (m + 2), np.uint32)
    pool = np.empty(3 * m + 1, np.uint32)  # every replacement may enter two places
    pairs = np.empty(WIDTH * (3 * m // 2 + 2), np.uint32)  # of two places or more each
    waiting = np.zeros(m // 2 + 2, np.uint32)
    state = np.zeros(4, np.uint32)
    rules = np.empty(FIELDS * (m // 2 + 1), np.uint32)
    symbols = terminals + m // 2 + 1  # the last one is that of the guards
    beside = np.zeros(2 * symbols, np.uint32)
    tree = no_positions(m + 2)
    _enter_words(words, numbers, seq, symbols - 1)
    _enter_pairs(seq, pool, pairs, numbers, waiting, state)
    made = 0
    for count in range(len(waiting) - 1, 1, -1):
        state[CURRENT] = count
        _open_round(seq, pool, pairs, waiting, tree, state)
        place = pop_inplace(tree)
        while place != EMPTY:
            pair = seq[FIELDS * place + PAIR]
            if pair != NONE and pairs[WIDTH * pair + COUNT] == count:
                after = _next(seq, place)
                rules[FIELDS * made] = seq[FIELDS * place + SYMBOL]
                rules[FIELDS * made + 1] = seq[FIELDS * after + SYMBOL]
                state[RULE] = terminals + made
                places = _replace(seq, pool, pairs, waiting, tree, state, pair)
                _enter_rule(seq, pool, pairs, waiting, tree, state, beside, places)
                made += 1
            place = pop_inplace(tree)
    return _collect(seq, rules[: FIELDS * made], terminals)


@strict_kernel
def _enter_words(words, numbers, seq, guard):
    """Write the words and the numbers of their pairs, between guards."""
    seq[SYMBOL], seq[PAIR] = guard, NONE
    m = len(words)
    for i in range(m):
        seq[FIELDS * (i + 1) + SYMBOL] = words[i]
        seq[FIELDS * (i + 1) + PAIR] = numbers[i] if i + 1 < m else NONE
    seq[FIELDS * (m + 1) + SYMBOL], seq[FIELDS * (m + 1) + PAIR] = guard, NONE


@strict_kernel
def _enter_pairs(seq, pool, pairs, numbers, waiting, state):
    """Give every pair of words its part of `pool`, its count and its waiting list."""
    top = 0
    for number in numbers:
        top = max(top, number)
    pairs[: WIDTH * (top + 1)] = 0
    for number in numbers:
        pairs[WIDTH * number + COUNT] += 1
    filled = np.uint32(0)
    for pair in range(1, top + 1):
        pairs[WIDTH * pair + BEGIN], pairs[WIDTH * pair + END] = filled, filled
        filled += pairs[WIDTH * pair + COUNT]
    state[FRESH], state[FILLED] = top + 1, filled
    for place in range(1, len(numbers) + 1):
        pair = seq[FIELDS * place + PAIR]
        if pair != NONE:
            _append(seq, pool, pairs, pair, np.uint32(place))
    _discount_overlaps(seq, pairs, len(numbers))
    for pair in range(top, 0, -1):
        _wait(pairs, waiting, np.uint32(pair))


@strict_kernel
def _discount_overlaps(seq, pairs, last):
    """Count every second pair of a run only, where places up to `last` start a pair."""
    second = False
    for place in range(1, last + 1):
        pair = seq[FIELDS * place + PAIR]
        alike = seq[FIELDS * place + SYMBOL] == seq[FIELDS * (place + 1) + SYMBOL]
        if alike and second:
            pairs[WIDTH * pair + COUNT] -= 1
        second = alike and not second


@strict_kernel
def _open_round(seq, pool, pairs, waiting, tree, state):
    """Add the first places of the pairs of this round's count to the tree."""
    count = state[CURRENT]
    pair = waiting[count]
    while pair != NONE:
        following = pairs[WIDTH * pair + LINK]
        if pairs[WIDTH * pair + COUNT] == count:
            add_inplace(tree, _first(seq, pool, pairs, pair))
        else:
            _wait(pairs, waiting, pair)
        pair = following


@strict_kernel
def _wait(pairs, waiting, pair):
    """Let a pair wait for the round of its count; without repetition it has none."""
    count = pairs[WIDTH * pair + COUNT]
    if count >= 2:
        pairs[WIDTH * pair + LINK] = waiting[count]
        waiting[count] = pair


@strict_kernel
def _first(seq, pool, pairs, pair):
    """Return the first place of a pair, and never look at earlier entries again."""
    at = pairs[WIDTH * pair + BEGIN]
    while seq[FIELDS * pool[at] + PAIR] != pair:
        at += np.uint32(1)
    pairs[WIDTH * pair + BEGIN] = at
    return pool[at]


@strict_kernel
def _append(seq, pool, pairs, pair, place):
    """Let a place belong to a pair, as its last."""
    end = pairs[WIDTH * pair + END]
    pool[end] = place
    pairs[WIDTH * pair + END] = end + 1
    seq[FIELDS * place + PAIR] = pair


@strict_kernel
def _replace(seq, pool, pairs, waiting, tree, state, pair):
    """Replace a pair from left to right; withdraw the pairs that this breaks.

    Return the places of the new symbol.
    """
    begin, end = pairs[WIDTH * pair + BEGIN], pairs[WIDTH * pair + END]
    symbol, kept = state[RULE], begin
    for at in range(begin, end):
        place = pool[at]
        if seq[FIELDS * place + PAIR] != pair:
            continue
        gone, before = _next(seq, place), _previous(seq, place)
        if seq[FIELDS * before + PAIR] != NONE:
            fall = _fall_before(seq, before, seq[FIELDS * place + SYMBOL])
            _withdraw(seq, pool, pairs, waiting, tree, state, before, fall)
        after = _next(seq, gone)
        other = seq[FIELDS * gone + PAIR]
        if other != NONE and other != pair:  # which overlaps itself in a run
            fall = _fall_after(seq, after, seq[FIELDS * gone + SYMBOL])
            _withdraw(seq, pool, pairs, waiting, tree, state, gone, fall)
        seq[FIELDS * place + PAIR] = NONE
        seq[FIELDS * gone + PAIR] = NONE
        covers = COVERED + (after - place)
        seq[FIELDS * place + SYMBOL] = symbol
        seq[FIELDS * (place + 1) + SYMBOL] = covers
        seq[FIELDS * np.uint32(after - 1) + SYMBOL] = covers
        pool[kept] = place
        kept += np.uint32(1)
    return pool[begin:kept]


@strict_kernel
def _next(seq, place):
    """Return where the symbol after that of `place` begins."""
    covered = seq[FIELDS * (place + 1) + SYMBOL]
    return np.uint32(place + (covered - COVERED if covered >= COVERED else 1))


@strict_kernel
def _previous(seq, place):
    """Return where the symbol before that of `place` begins."""
    covered = seq[FIELDS * np.uint32(place - 1) + SYMBOL]
    return np.uint32(place - (covered - COVERED if covered >= COVERED else 1))


@strict_kernel
def _fall_before(seq, place, symbol):
    """Return by how much a count falls where `symbol`, after `place`, is replaced.

    That is 1 but for a run, which that symbol ends: 0 if its length is odd.
    """
    fall = 1 if seq[FIELDS * place + SYMBOL] != symbol else 0
    while seq[FIELDS * place + SYMBOL] == symbol:
        fall = 1 - fall
        place = _previous(seq, place)
    return fall


@strict_kernel
def _fall_after(seq, place, symbol):
    """Return by how much a count falls where `symbol`, before `place`, is replaced."""
    fall = 1 if seq[FIELDS * place + SYMBOL] != symbol else 0
    while seq[FIELDS * place + SYMBOL] == symbol:
        fall = 1 - fall
        place = _next(seq, place)
    return fall


@strict_kernel
def _withdraw(seq, pool, pairs, waiting, tree, state, place, fall):
    """Take a place away from its pair, whose count falls by 1 or 0."""
    pair = seq[FIELDS * place + PAIR]
    seq[FIELDS * place + PAIR] = NONE
    count = pairs[WIDTH * pair + COUNT]
    pairs[WIDTH * pair + COUNT] = count - fall
    if count == state[CURRENT]:
        if fall:
            _wait(pairs, waiting, pair)
        else:  # it may have been the first place
            add_inplace(tree, _first(seq, pool, pairs, pair))


@strict_kernel
def _enter_rule(seq, pool, pairs, waiting, tree, state, beside, places):
    """Enter the pairs that a new symbol forms and that repeat; most do not."""
    symbol, new = state[RULE], state[FRESH]
    _look_beside(seq, beside, places, symbol)
    second = False
    for k in range(len(places)):
        place = places[k]
        before, after = _previous(seq, place), _next(seq, place)
        left, right = seq[FIELDS * before + SYMBOL], seq[FIELDS * after + SYMBOL]
        if left != symbol:
            _enter(seq, pool, pairs, state, beside, 2 * left + BEFORE, before)
        _enter(seq, pool, pairs, state, beside, 2 * right + AFTER, place)
        if right == symbol and second:  # in a run every second pair counts
            pairs[WIDTH * seq[FIELDS * place + PAIR] + COUNT] -= 1
        second = right == symbol and not second
    for pair in range(new, state[FRESH]):
        if pairs[WIDTH * pair + COUNT] == state[CURRENT]:
            add_inplace(tree, pool[pairs[WIDTH * pair + BEGIN]])
        else:
            _wait(pairs, waiting, np.uint32(pair))


@strict_kernel
def _look_beside(seq, beside, places, symbol):
    """Count how often which symbols stand before and after a new symbol."""
    for k in range(len(places)):
        place = places[k]
        left = seq[FIELDS * _previous(seq, place) + SYMBOL]
        right = seq[FIELDS * _next(seq, place) + SYMBOL]
        if left != symbol:
            beside[2 * left + BEFORE] += 1
        beside[2 * right + AFTER] += 1


@strict_kernel
def _enter(seq, pool, pairs, state, beside, at, place):
    """Enter a place of a new pair, unless it is the only one, and tidy up at the last.

    Until it waits, the link of a pair says where its part of `pool` will end.
    """
    pair = beside[at]
    if pair == 1:
        beside[at] = 0
        return
    if pair < MADE:
        count, filled, pair = pair, state[FILLED], state[FRESH]
        state[FRESH] = pair + 1
        state[FILLED] = filled + count
        pairs[WIDTH * pair + COUNT] = count
        pairs[WIDTH * pair + BEGIN], pairs[WIDTH * pair + END] = filled, filled
        pairs[WIDTH * pair + LINK] = filled + count
        beside[at] = MADE + pair
    else:
        pair = np.uint32(pair - MADE)
    _append(seq, pool, pairs, pair, place)
    if pairs[WIDTH * pair + END] == pairs[WIDTH * pair + LINK]:
        beside[at] = 0


@strict_kernel
def _collect(seq, rules, terminals):
    """Write out rule 0 and the pairs. See `sequitur.infer` for the form."""
    end = np.uint32(len(seq) // FIELDS - 1)
    symbols = np.empty(end + len(rules), np.int64)
    offsets = np.empty(len(rules) // FIELDS + 2, np.int64)
    place, k = np.uint32(1), 0
    while place < end:
        symbols[k] = _signed(seq[FIELDS * place + SYMBOL], terminals)
        k += 1
        place = _next(seq, place)
    offsets[0], offsets[1] = 0, k
    for rule in range(len(rules) // FIELDS):
        for side in range(FIELDS):
            symbols[k] = _signed(rules[FIELDS * rule + side], terminals)
            k += 1
        offsets[rule + 2] = k
    return symbols[:k].copy(), offsets


@strict_kernel
def _signed(symbol, terminals):
    """Return a word as it is, and a rule below 0."""
    return np.int64(symbol) if symbol < terminals else terminals - 1 - np.int64(symbol)


# A set of positions that finds its lowest: a tree of words of 32 bits. A bit of a leaf
# is a position; a bit of a word above says that the word below it is not empty. Four
# levels serve a million positions.


@strict_kernel
def no_positions(size):
    """Return the empty set of positions below `size`, which is at most 2**31. -> u4."""
    tree = np.zeros(WORDS + size // (FAN - 1) + WORDS, np.uint32)
    begin, width, level = WORDS, size, 0
    while level == 0 or width > 1:
        tree[LEVELS + level] = begin
        width = (width + FAN - 1) // FAN
        begin += max(width, 1)
        level += 1
    tree[DEPTH] = level
    return tree


@strict_kernel
def add_inplace(tree, place):
    """Add a position."""
    at = np.uint32(place)
    for level in range(tree[DEPTH]):
        word = tree[LEVELS + level] + (at >> SHIFT)
        was = tree[word]
        tree[word] = was | np.uint32(1 << (at & (FAN - 1)))
        if was != 0:  # the words above know that
            return
        at = np.uint32(at >> SHIFT)


@strict_kernel
def pop_inplace(tree):
    """Take the lowest position off and return it, or EMPTY."""
    place = np.uint32(0)
    for level in range(tree[DEPTH] - 1, -1, -1):
        word = tree[tree[LEVELS + level] + place]
        if word == 0:
            return np.uint32(EMPTY)
        place = np.uint32(place * FAN + _lowest_bit(word))
    at = place
    for level in range(tree[DEPTH]):
        index = tree[LEVELS + level] + (at >> SHIFT)
        left = tree[index]
        left &= np.uint32(left - 1)
        tree[index] = left
        if left != 0:
            break
        at = np.uint32(at >> SHIFT)
    return place


@strict_kernel
def _lowest_bit(word):
    """Return the number of the lowest bit: skip lower halves while they are empty."""
    bit = np.uint32(0)
    step = np.uint32(FAN // 2)
    while step > 0:
        if word & np.uint32((1 << step) - 1) == 0:
            word = np.uint32(word >> step)
            bit += step
        step = np.uint32(step >> 1)
    return bit
