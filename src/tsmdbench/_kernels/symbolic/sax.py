"""SAX words of every window of a series, from running sums.

The running sums are kept as an unevaluated sum of two floats (about 32 digits), so a
window far from the mean of the series loses nothing to cancellation, and one pass
over the series serves every window length, word length and alphabet.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel

SPLITTER = 134217729.0  # 2^27 + 1: cuts a float64 into two halves (Dekker, 1971)
LIMB_BITS = 62  # letters are packed into non-negative int64 limbs
GAP = -1  # first limb of the mark that stands for windows without a word
TIE = 1e-10  # a segment mean this close below a cut lies on it, and so above it
BLOCK = 4096  # letters that are worked on at once: they should stay in the cache
KEEP_ALL, DROP_EQUAL, DROP_NEAR = 0, 1, 2  # numerosity reduction


@strict_kernel
def running_sums(x):
    """Sum x and x^2 up to every sample. f8[n] -> f8[4, n + 1], rows high, low."""
    sums = np.zeros((4, len(x) + 1))
    for i in range(len(x)):
        square, rest = _two_product(x[i], x[i])
        sums[0, i + 1], sums[1, i + 1] = _add(sums[0, i], sums[1, i], x[i], 0.0)
        sums[2, i + 1], sums[3, i + 1] = _add(sums[2, i], sums[3, i], square, rest)
    return sums


@strict_kernel
def window_moments(sums, w, flat):
    """Return total and gain 1 / (w sigma) of every window; 0 where sigma <= flat. O(n).

    sums: f8[4, n + 1] of `running_sums` -> f8[2, n - w + 1].
    """
    moments = np.empty((2, sums.shape[1] - w))
    _write_moments(sums, 0, w, flat, moments)
    return moments


@strict_kernel
def _write_moments(sums, first, w, flat, moments_inplace):
    """Write total and gain of as many windows from `first` on as there is room for."""
    count = min(moments_inplace.shape[1], sums.shape[1] - w - first)
    totals, gains = moments_inplace[0], moments_inplace[1]
    x_high, x_low = sums[0, first:], sums[1, first:]
    xx_high, xx_low = sums[2, first:], sums[3, first:]
    x_high_end, x_low_end = x_high[w:], x_low[w:]
    xx_high_end, xx_low_end = xx_high[w:], xx_low[w:]
    for i in range(count):
        total, total_low = _add(x_high_end[i], x_low_end[i], -x_high[i], -x_low[i])
        power, power_low = _add(xx_high_end[i], xx_low_end[i], -xx_high[i], -xx_low[i])
        scaled, scaled_low = _two_product(power, 1.0 * w)
        square, square_low = _two_product(total, total)
        square_low += 2.0 * total * total_low
        # (w sigma)^2 = w sum(x^2) - sum(x)^2
        high, low = _add(scaled, scaled_low + w * power_low, -square, -square_low)
        spread = np.sqrt(max(high + low, 0.0))
        totals[i] = total
        # np.divide raises nothing, so the processor can take several windows at once.
        gains[i] = np.divide(1.0, spread) if spread > flat * w else 0.0


@strict_kernel
def sax_words(x, sums, window, bad, offsets, fractions, cuts, rule):
    """Return packed words of the windows that numerosity reduction keeps, and starts.

    x: f8[n + 1], last one unused; window: f8[2], its samples, the deviation up to which
    it is flat; bad: i4[n + 1] running count of samples that
    no window may touch, or i4[1] if there are none; segment k reaches from
    `offsets[k] + fractions[k]` to the next; cuts: f8[2^bits - 1], padded with inf;
    rule: KEEP_ALL, DROP_EQUAL or DROP_NEAR. A run of windows without a word leaves one
    row that begins with GAP. -> i8[m, limbs], i8[m]. O(n s).
    """
    samples, s = np.int64(window[0]), len(offsets) - 1
    count, w = sums.shape[1] - samples, offsets[s]
    bits = _bits(cuts)
    per_limb = LIMB_BITS // bits
    limbs = (s + per_limb - 1) // per_limb
    packed = np.empty((count, limbs), np.int64)
    starts = np.empty(count, np.int64)
    block = max(32, BLOCK // s)
    moments = np.zeros((2, block))
    codes = np.empty((limbs, block), np.int64)
    before = np.zeros(limbs, np.int64)
    m = 0
    alone = True  # no word before this one, or a gap
    for first in range(0, count, block):
        _write_moments(sums, first, samples, window[1], moments)
        _spell(x, sums, moments, first, offsets, fractions, cuts, codes)
        for b in range(min(block, count - first)):
            starts[m] = first + b
            if len(bad) > 1 and bad[first + b + w] > bad[first + b]:
                packed[m, :] = GAP
                m += m == 0 or not alone
                alone = True
                continue
            # A word that is dropped is written over; no guess whether it will be.
            new = alone or rule == KEEP_ALL
            for limb in range(limbs):
                new |= codes[limb, b] != before[limb]
                packed[m, limb] = before[limb] = codes[limb, b]
            if rule == DROP_NEAR and not alone:
                new = not _near(packed[m - 1], packed[m], bits)
            m += new
            alone = False
    if 4 * m > count:  # what was not written takes no memory worth a copy
        return packed[:m], starts[:m]
    return packed[:m].copy(), starts[:m].copy()


@strict_kernel
def word_ids(packed):
    """Give equal rows equal numbers, by first appearance, and GAP rows -1.

    i8[m, limbs] -> i8[m], number of ids. O(m limbs).
    """
    m, limbs = packed.shape
    flat = packed.ravel()
    table = no_words(m)
    ids = np.empty(m, np.int64)
    count = 0
    for i in range(m):
        ids[i] = -1
        if packed[i, 0] == GAP:
            continue
        # Neighbouring windows mostly share a word, above all of few letters.
        if i > 0 and not differ(flat, (i - 1) * limbs, i * limbs, limbs):
            ids[i] = ids[i - 1]
            continue
        place = first_place_inplace(flat, limbs, limbs, table, i)
        if place < 0:
            ids[i] = count
            count += 1
        else:
            ids[i] = ids[place]
    return ids, count


@strict_kernel
def word_ids_by_table(packed, possible):
    """As `word_ids`, for rows of one limb that are all below `possible`.

    Nothing has to be searched for: O(m + possible).
    """
    number = np.full(possible, -1, np.int32)
    ids = np.empty(len(packed), np.int64)
    count = 0
    for i in range(len(packed)):
        word = packed[i, 0]
        if word == GAP:
            ids[i] = -1
            continue
        if number[word] < 0:
            number[word] = count
            count += 1
        ids[i] = number[word]
    return ids, count


@strict_kernel
def _spell(x, sums, moments, first, offsets, fractions, cuts, codes_inplace):
    """Write the words of a block of windows, packed: letter by letter.

    A letter is the number of cuts at or below a segment mean; the first letter of a
    limb has its highest bits. Window by window the inner loops would jump; segment by
    segment they run along the sums, so the processor takes several windows at once.
    """
    s = len(offsets) - 1
    size = min(codes_inplace.shape[1], sums.shape[1] - offsets[s] - first)
    bits = _bits(cuts)
    values = np.empty(size)
    totals, gains = moments[0], moments[1]
    codes_inplace[:, :] = 0
    for k in range(s):
        left, right = first + offsets[k], first + offsets[k + 1]
        high_left, high_right = sums[0, left:], sums[0, right:]
        low_left, low_right = sums[1, left:], sums[1, right:]
        x_left, x_right = x[left:], x[right:]
        part_left, part_right = fractions[k], fractions[k + 1]
        for b in range(size):
            low = low_right[b] - low_left[b]
            edge = part_right * x_right[b] - part_left * x_left[b]
            segment = (high_right[b] - high_left[b]) + (low + edge)
            values[b] = (s * segment - totals[b]) * gains[b] + TIE
        codes = codes_inplace[k // (LIMB_BITS // bits)]
        for b in range(size):
            codes[b] <<= bits
        for cut in cuts:  # beats halving, which takes one window at a time
            for b in range(size):
                codes[b] += values[b] >= cut


@strict_kernel
def _bits(cuts):
    """Bits of a letter. cuts: f8[2^bits - 1]."""
    bits = 0
    while (1 << bits) <= len(cuts):
        bits += 1
    return bits


@strict_kernel
def _near(first, second, bits):
    """Return True if no two letters differ by more than 1."""
    mask = (1 << bits) - 1
    for limb in range(len(first)):
        for shift in range(0, LIMB_BITS - bits + 1, bits):
            apart = ((first[limb] >> shift) & mask) - ((second[limb] >> shift) & mask)
            if abs(apart) > 1:
                return False
    return True


@strict_kernel
def _two_product(a, b):
    """Return a * b as rounded product and its exact error (Dekker, 1971)."""
    product = a * b
    t = SPLITTER * a
    a_high = t - (t - a)
    a_low = a - a_high
    t = SPLITTER * b
    b_high = t - (t - b)
    b_low = b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + (
        a_low * b_low
    )
    return product, error


@strict_kernel
def _add(high, low, other, other_low):
    """Add two pairs of floats, keeping what rounding would drop (Knuth's two-sum)."""
    total = high + other
    virtual = total - high
    error = (high - (total - virtual)) + (other - virtual)
    error += low + other_low
    result = total + error
    return result, error - (result - total)


# A hash table of words finds where an equal word stood first. Words are given in one
# flat array, word i as the `size` numbers from ``flat[i * step]`` on: kernels pass that
# on faster than rows. A hash only chooses where to look: words are compared in full, so
# that different words are never taken for equal.


@strict_kernel
def no_words(count):
    """Return a table with room for `count` words; at least half of it stays empty."""
    return np.full(table_size(count), -1, np.int32)


@strict_kernel
def table_size(count):
    """Return the size of a table for `count` words, a power of two."""
    size = 4
    while size < 2 * count:
        size *= 2
    return size


@strict_kernel
def first_place_inplace(flat, step, size, table, i):
    """Return where a word equal to word i stood first; -1 if it is new. Enters it then.

    table: i4 of `no_words`, or a part of one of the size that `table_size` says.
    """
    begin, mask = i * step, len(table) - 1
    mixed = 0
    for k in range(begin, begin + size):  # no product exceeds 63 bits
        mixed = (mixed ^ flat[k] ^ (flat[k] >> 31)) & 0x7FFFFFFF
        mixed = (mixed * 2654435761) >> 24
    slot = mixed & mask
    place = table[slot]
    while place >= 0 and differ(flat, place * step, begin, size):
        slot = (slot + 1) & mask
        place = table[slot]
    if place < 0:
        table[slot] = i
    return place


@strict_kernel
def differ(flat, first, second, size):
    """Return True if the words that begin at two places differ."""
    for k in range(size):
        if flat[first + k] != flat[second + k]:
            return True
    return False
