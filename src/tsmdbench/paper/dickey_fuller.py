"""Dickey-Fuller statistics of the differences of every window of a series."""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.threads import DONE, STOP, run_walk
from tsmdbench.arrays import Floats, Integers

# A column that keeps less of its square than this after projection depends on others.
DEPENDENT = 1e-14


def rolling_statistic(
    x: Floats, window: int, max_lag: int, floor: float
) -> tuple[Floats, Integers]:
    """Statistic of every window, and its lags. x: f8[n] -> (f8[N], i8[N]). O(w L^2).

    The window's differences y are regressed: y[t+1] - y[t] on y[t], a constant, and up
    to `max_lag` lagged differences; the result is the t value of y[t]. The number of
    lags is the one of lowest BIC on the rows that all candidates share, and the
    regression is then repeated on all rows that this number leaves. NaN where the y
    vary by no more than `floor` each.
    """
    out = np.empty(len(x) - window + 1)
    lags = np.zeros(len(out), dtype=np.int64)
    arguments = x[1:] - x[:-1], window - 1, max_lag, floor, out, lags
    cells = window * (max_lag + 2) ** 2
    run_walk(rolling_statistic_inplace, [arguments], len(out), cells)
    return out, lags


@strict_kernel
def rolling_statistic_inplace(y, m, max_lag, floor, out, lags, signal, first, step):
    """Fill `rolling_statistic`; windows have `m` differences."""
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
        if max_lag > 0:
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
