"""SAX words of every window of a series, from running sums.

The running sums are kept as an unevaluated sum of two floats (about 32 digits), so a
window far from the mean of the series loses nothing to cancellation, and one pass
over the series serves every window length, word length and alphabet.
"""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel

SPLITTER = 134217729.0  # 2^27 + 1: cuts a float64 into two halves (Dekker, 1971)
LIMB_BITS = 62  # letters are packed into non-negative int64 limbs
GAP = -1  # first limb of the mark that stands for windows without a word
TIE = 1e-10  # a segment mean this close below a cut lies on it, and so above it
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
    count = sums.shape[1] - w
    moments = np.empty((2, count))
    for i in range(count):
        j = i + w
        total, total_low = _add(sums[0, j], sums[1, j], -sums[0, i], -sums[1, i])
        power, power_low = _add(sums[2, j], sums[3, j], -sums[2, i], -sums[3, i])
        scaled, scaled_low = _two_product(power, 1.0 * w)
        square, square_low = _two_product(total, total)
        square_low += 2.0 * total * total_low
        # (w sigma)^2 = w sum(x^2) - sum(x)^2
        high, low = _add(scaled, scaled_low + w * power_low, -square, -square_low)
        spread = np.sqrt(max(high + low, 0.0))
        moments[0, i] = total
        moments[1, i] = 1.0 / spread if spread > flat * w else 0.0
    return moments


@strict_kernel
def sax_words(x, sums, moments, bad, offsets, fractions, cuts, rule):
    """Return packed words of the windows that numerosity reduction keeps, and starts.

    x: f8[n + 1], last one unused; bad: i8[n + 1] running count of samples that no
    window may touch; segment k reaches from `offsets[k] + fractions[k]` to the next;
    cuts: f8[2^bits - 1] ascending, padded with inf; rule: KEEP_ALL, DROP_EQUAL or
    DROP_NEAR. A run of windows without a word leaves one row that begins with GAP.
    -> i8[m, limbs], i8[m]. O(n s).
    """
    s = len(offsets) - 1
    w = offsets[s]
    half = (len(cuts) + 1) // 2
    bits = 0
    while (1 << bits) <= len(cuts):
        bits += 1
    per_limb = LIMB_BITS // bits
    limbs = (s + per_limb - 1) // per_limb
    packed = np.empty((moments.shape[1], limbs), np.int64)
    starts = np.empty(moments.shape[1], np.int64)
    letters = np.empty(s, np.int64)
    kept = np.empty(s, np.int64)
    m = 0
    fresh = True  # nothing to compare with: first window, or first after a gap
    for i in range(moments.shape[1]):
        if bad[i + w] > bad[i]:
            if m == 0 or packed[m - 1, 0] != GAP:
                packed[m, :] = GAP
                starts[m] = i
                m += 1
            fresh = True
            continue
        _spell(x, sums, moments[:, i], i, offsets, fractions, cuts, letters)
        if not fresh and rule != KEEP_ALL:
            apart = 0
            for k in range(s):
                apart = max(apart, abs(letters[k] - kept[k]))
            if apart <= (1 if rule == DROP_NEAR else 0):
                continue
        fresh = False
        kept[:] = letters
        _pack(letters, per_limb, 2 * half, packed[m])
        starts[m] = i
        m += 1
    return packed[:m].copy(), starts[:m].copy()


@strict_kernel
def word_ids(packed):
    """Give equal rows equal numbers, by first appearance, and GAP rows -1.

    i8[m, limbs] -> i8[m], number of ids. A hash only chooses where to look: rows are
    compared in full, so different words never share a number. O(m limbs).
    """
    m = len(packed)
    size = 8
    while size < 2 * m:
        size *= 2
    table = np.full(size, -1, np.int64)
    ids = np.empty(m, np.int64)
    count = 0
    for i in range(m):
        ids[i] = -1
        if packed[i, 0] == GAP:
            continue
        slot = _hash(packed[i]) & (size - 1)
        while table[slot] >= 0 and not _equal(packed[table[slot]], packed[i]):
            slot = (slot + 1) & (size - 1)
        if table[slot] < 0:
            table[slot] = i
            ids[i] = count
            count += 1
        else:
            ids[i] = ids[table[slot]]
    return ids, count


@strict_kernel
def _spell(x, sums, moment, start, offsets, fractions, cuts, letters_inplace):
    """Write the letters of one window: the number of cuts at or below each mean."""
    s = len(letters_inplace)
    total, gain = moment[0], moment[1]
    high, low = sums[0, start], sums[1, start]
    part = 0.0
    for k in range(s):
        j = start + offsets[k + 1]
        next_part = fractions[k + 1] * x[j]
        segment = (sums[0, j] - high) + ((sums[1, j] - low) + (next_part - part))
        high, low, part = sums[0, j], sums[1, j], next_part
        value = (s * segment - total) * gain + TIE
        letter = 0
        step = (len(cuts) + 1) >> 1
        while step > 0:
            if value >= cuts[letter + step - 1]:
                letter += step
            step >>= 1
        letters_inplace[k] = letter


@strict_kernel
def _pack(letters, per_limb, base, row_inplace):
    """Pack letters into limbs, the first letter of a limb in its highest bits."""
    for limb in range(len(row_inplace)):
        value = 0
        for k in range(limb * per_limb, min((limb + 1) * per_limb, len(letters))):
            value = value * base + letters[k]
        row_inplace[limb] = value


@strict_kernel
def _hash(row):
    """Mix a row of limbs into 32 bits; no product exceeds 63 bits."""
    mixed = 0
    for limb in row:
        mixed = ((mixed ^ (limb & 0x7FFFFFFF)) * 2654435761) & 0xFFFFFFFF
        mixed = ((mixed >> 1) ^ (limb >> 31) ^ (mixed & 0x7FFF)) & 0x7FFFFFFF
        mixed = (mixed * 2246822519) & 0xFFFFFFFF
        mixed = mixed >> 1
    return mixed ^ (mixed >> 15)


@strict_kernel
def _equal(first, second):
    """Compare two rows."""
    for k in range(len(first)):
        if first[k] != second[k]:
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
