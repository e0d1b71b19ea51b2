"""Rules of a finished grammar in order, with lengths and occurrences.

A grammar is ``symbols, offsets``: rule k is ``symbols[offsets[k]:offsets[k + 1]]``,
rule 0 the whole sequence; a symbol is a word (0 or more) or ``-k`` for rule k. No rule
refers to itself, and every rule is used. Bodies have two symbols or more, so the
derivation tree of m words has fewer than m inner nodes and each walk is O(m).
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel


@strict_kernel
def in_order(symbols, offsets):
    """Renumber the rules by where they first occur, outer before inner. O(m)."""
    rules = len(offsets) - 1
    number = np.full(rules, -1, np.int64)
    order = np.zeros(rules, np.int64)
    stack = np.empty(rules + 1, np.int64)  # next symbol to look at, per open rule
    ends = np.empty(rules + 1, np.int64)
    number[0] = 0
    met, depth = 1, 1
    stack[0], ends[0] = offsets[0], offsets[1]
    while depth > 0:
        at = stack[depth - 1]
        if at == ends[depth - 1]:
            depth -= 1
            continue
        stack[depth - 1] += 1
        rule = -symbols[at]
        if rule > 0 and number[rule] < 0:
            number[rule], order[met] = met, rule
            met += 1
            stack[depth], ends[depth] = offsets[rule], offsets[rule + 1]
            depth += 1
    renamed = np.empty_like(symbols)
    bounds = np.zeros(rules + 1, np.int64)
    k = 0
    for new in range(rules):
        for at in range(offsets[order[new]], offsets[order[new] + 1]):
            symbol = symbols[at]
            renamed[k] = symbol if symbol >= 0 else -number[-symbol]
            k += 1
        bounds[new + 1] = k
    return renamed, bounds


@strict_kernel
def sizes(symbols, offsets):
    """Words and levels below every rule, and its uses. -> i8[rules] each. O(m).

    A rule of words only has level 1; `uses` counts the symbols that refer to a rule.
    """
    rules = len(offsets) - 1
    lengths = np.zeros(rules, np.int64)
    levels = np.ones(rules, np.int64)
    uses = np.zeros(rules, np.int64)
    done = np.zeros(rules, np.bool_)
    stack = np.empty(rules + 1, np.int64)
    place = np.empty(rules + 1, np.int64)
    stack[0], place[0] = 0, offsets[0]
    depth = 1
    while depth > 0:
        rule, at = stack[depth - 1], place[depth - 1]
        if at == offsets[rule + 1]:
            done[rule] = True
            depth -= 1
            continue
        inner = -symbols[at]
        if inner > 0 and not done[inner]:
            stack[depth], place[depth] = inner, offsets[inner]
            depth += 1
            continue
        place[depth - 1] += 1
        if inner > 0:
            lengths[rule] += lengths[inner]
            levels[rule] = max(levels[rule], levels[inner] + 1)
            uses[inner] += 1
        else:
            lengths[rule] += 1
    return lengths, levels, uses


@strict_kernel
def occurrences(symbols, offsets, m):
    """First words of all nodes of the derivation tree, by rule, ascending. O(m).

    -> positions i8[.], bounds i8[rules + 1]; rule k has
    ``positions[bounds[k]:bounds[k + 1]]``, and rule 0 none.
    """
    rules = len(offsets) - 1
    owner = np.empty(m, np.int64)
    first = np.empty(m, np.int64)
    bounds = np.zeros(rules + 1, np.int64)
    stack = np.empty(rules + 1, np.int64)
    ends = np.empty(rules + 1, np.int64)
    stack[0], ends[0] = offsets[0], offsets[1]
    depth, word, met = 1, 0, 0
    while depth > 0:
        at = stack[depth - 1]
        if at == ends[depth - 1]:
            depth -= 1
            continue
        stack[depth - 1] += 1
        rule = -symbols[at]
        if rule <= 0:
            word += 1
            continue
        owner[met], first[met] = rule, word
        bounds[rule + 1] += 1
        met += 1
        stack[depth], ends[depth] = offsets[rule], offsets[rule + 1]
        depth += 1
    for rule in range(rules):
        bounds[rule + 1] += bounds[rule]
    free = bounds[:rules].copy()
    positions = np.empty(met, np.int64)
    for k in range(met):
        positions[free[owner[k]]] = first[k]
        free[owner[k]] += 1
    return positions, bounds


@strict_kernel
def expand(symbols, offsets, rule, length):
    """Words of one rule, `length` of them. -> i8[length]. O(length)."""
    words = np.empty(length, np.int64)
    stack = np.empty(len(offsets), np.int64)
    ends = np.empty(len(offsets), np.int64)
    stack[0], ends[0] = offsets[rule], offsets[rule + 1]
    depth, k = 1, 0
    while depth > 0:
        at = stack[depth - 1]
        if at == ends[depth - 1]:
            depth -= 1
            continue
        stack[depth - 1] += 1
        inner = -symbols[at]
        if inner <= 0:
            words[k] = symbols[at]
            k += 1
        else:
            stack[depth], ends[depth] = offsets[inner], offsets[inner + 1]
            depth += 1
    return words
