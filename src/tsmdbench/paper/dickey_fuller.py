"""Dickey-Fuller statistics of the differences of every window of a series."""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.threads import DONE, STOP, run_walk
from tsmdbench.arrays import Floats, Integers

# Below this part of a sum, what is left after subtracting the mean has lost too many
# digits, and the window is computed again from its own samples.
CANCELLED = 1e-5
# A column that keeps less of its square than this after projection depends on others.
DEPENDENT = 1e-14


@strict_kernel
def rolling_statistic(x, window, floor):
    """Statistic of every window, no lags. x: f8[n] -> f8[n - window + 1]. O(1) each.

    The window's differences y are regressed: y[t+1] - y[t] on y[t] and a constant; the
    result is the t value of y[t]. NaN where the y vary by no more than `floor` each.
    """
    k = window - 2
    y = x[1:] - x[:-1]
    n_rows = len(y) - 1
    out = np.empty(n_rows - k + 1)
    tail = np.zeros((k + 1, 5))
    for block in range(0, len(out), k):
        middle = block + k  # rows [start, middle) come from tail, the others from head
        shift = y[block : min(middle + k, n_rows)].mean()
        for i in range(k - 1, -1, -1):
            add_row(tail[i + 1], y, block + i, shift, tail[i])
        head = np.zeros(5)
        for i in range(min(k, len(out) - block)):
            sums = tail[i] + head
            out[block + i] = from_sums(y, block + i, k, sums, floor)
            if middle + i < n_rows:
                add_row(head, y, middle + i, shift, head)
    return out


@strict_kernel
def add_row(sums, y, row, shift, out_inplace):
    """Add one row of the regression to its five sums: a, aa, b, ab, bb."""
    a = y[row] - shift
    b = y[row + 1] - y[row]
    out_inplace[0] = sums[0] + a
    out_inplace[1] = sums[1] + a * a
    out_inplace[2] = sums[2] + b
    out_inplace[3] = sums[3] + a * b
    out_inplace[4] = sums[4] + b * b


@strict_kernel
def from_sums(y, start, k, sums, floor):
    """Return the t value from sums, or from the rows where the sums cancel. O(1)."""
    aa = sums[1] - sums[0] * sums[0] / k
    ab = sums[3] - sums[0] * sums[2] / k
    bb = sums[4] - sums[2] * sums[2] / k
    rest = bb - ab * ab / aa if aa > 0.0 else 0.0
    if aa <= CANCELLED * sums[1] or rest <= CANCELLED * bb:
        return from_rows(y, start, k, floor)
    if aa <= k * floor * floor:
        return np.nan
    return ab / np.sqrt(aa * rest / (k - 2))


@strict_kernel
def from_rows(y, start, k, floor):
    """Return the t value in two passes over the rows. O(k)."""
    mean_a = 0.0
    for i in range(start, start + k):
        mean_a += y[i]
    mean_a /= k
    mean_b = (y[start + k] - y[start]) / k
    aa = 0.0
    ab = 0.0
    for i in range(start, start + k):
        a = y[i] - mean_a
        aa += a * a
        ab += a * (y[i + 1] - y[i] - mean_b)
    if aa <= k * floor * floor:
        return np.nan
    slope = ab / aa
    rest = 0.0
    for i in range(start, start + k):
        residual = y[i + 1] - y[i] - mean_b - slope * (y[i] - mean_a)
        rest += residual * residual
    if rest == 0.0:
        return np.nan if slope == 0.0 else np.sign(slope) * np.inf
    return slope * np.sqrt(aa * (k - 2) / rest)


def rolling_statistic_bic(
    x: Floats, window: int, max_lag: int, floor: float
) -> tuple[Floats, Integers]:
    """Statistic of every window, lags by BIC. x: f8[n] -> (f8[N], i8[N]). O(w L^2).

    Up to `max_lag` lagged differences of y join the regression; their number is the
    one of lowest BIC on the rows that all candidates share, and the regression is then
    repeated on all rows that this number leaves. Also returns the numbers.
    """
    out = np.empty(len(x) - window + 1)
    lags = np.zeros(len(out), dtype=np.int64)
    arguments = x[1:] - x[:-1], window - 1, max_lag, floor, out, lags
    cells = window * (max_lag + 2) ** 2
    run_walk(rolling_statistic_bic_inplace, [arguments], len(out), cells)
    return out, lags


@strict_kernel
def rolling_statistic_bic_inplace(y, m, max_lag, floor, out, lags, signal, first, step):
    """Fill `rolling_statistic_bic`; windows have `m` differences."""
    work = np.empty((max_lag + 2, m))
    for start in range(first, len(out), step):
        if signal[STOP]:
            return
        signal[DONE] += 1
        part = y[start : start + m]
        centred = part - part.mean()
        if (centred * centred).sum() <= m * floor * floor:
            out[start] = np.nan
            continue
        lags[start] = best_lag(part, max_lag, work)
        out[start] = lagged_statistic(part, lags[start], work)


@strict_kernel
def best_lag(y, max_lag, work_inplace):
    """Return the number of lags of lowest BIC, the smallest where several tie."""
    n = len(y) - 1 - max_lag
    fill_columns(y, max_lag, n, work_inplace)
    response = work_inplace[max_lag + 1, :n]
    used = 1  # the constant, which centring has taken out
    best = 0
    lowest = np.inf
    for column in range(max_lag + 1):  # the level, then lag after lag
        if project(work_inplace, column, n):
            q = work_inplace[column, :n]
            response -= q * (q @ response)
            used += 1
        bic = n * np.log((response @ response) / n) + np.log(n) * used
        if bic < lowest:
            lowest = bic
            best = column
    return best


@strict_kernel
def lagged_statistic(y, lag, work_inplace):
    """Return the t value of the level beside `lag` lags and a constant."""
    n = len(y) - 1 - lag
    fill_columns(y, lag, n, work_inplace)
    response = work_inplace[lag + 1, :n]
    # The level goes last: what the others leave of it carries the statistic.
    for i in range(n):
        level = work_inplace[0, i]
        work_inplace[0, i] = work_inplace[lag, i]
        work_inplace[lag, i] = level
    used = 1
    for column in range(lag):
        if project(work_inplace, column, n):
            q = work_inplace[column, :n]
            response -= q * (q @ response)
            used += 1
    if not project(work_inplace, lag, n):
        return np.nan
    q = work_inplace[lag, :n]
    along = q @ response
    response -= q * along
    rest = response @ response
    if rest == 0.0:
        return np.nan if along == 0.0 else np.sign(along) * np.inf
    return along / np.sqrt(rest / (n - used - 1))


@strict_kernel
def fill_columns(y, lag, n, work_inplace):
    """Write the centred level, lags 1 to `lag`, and response into rows of `work`."""
    first = len(y) - 1 - n
    for i in range(n):
        t = first + i
        work_inplace[0, i] = y[t]
        work_inplace[lag + 1, i] = y[t + 1] - y[t]
        for j in range(1, lag + 1):
            work_inplace[j, i] = y[t + 1 - j] - y[t - j]
    for column in range(lag + 2):
        work_inplace[column, :n] -= work_inplace[column, :n].mean()


@strict_kernel
def project(work_inplace, column, n):
    """Make a row orthonormal to those above it; False (and zero) if it depends on them.

    Modified Gram-Schmidt. One pass is enough: a second one changes the statistics of
    real and of smooth series in the 14th digit.
    """
    v = work_inplace[column, :n]
    before = v @ v
    for other in range(column):
        q = work_inplace[other, :n]
        v -= q * (q @ v)
    after = v @ v
    if after <= DEPENDENT * before:
        v[:] = 0.0
        return False
    v /= np.sqrt(after)
    return True
