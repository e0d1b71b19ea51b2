"""Dickey-Fuller regressions by least squares, window by window."""

import numpy as np


def statistic(y, lag):
    """t value of the level y[t-1] in a regression of y[t] - y[t-1], with constant."""
    design, response = _rows(y, lag, lag)
    return _t_of_level(design, response)


def bic_statistic(y, max_lag):
    """As `statistic`, with the lag of lowest BIC; return the pair (t, lag)."""
    scores = []
    for lag in range(max_lag + 1):
        design, response = _rows(y, lag, max_lag)
        n = len(response)
        beta = np.linalg.lstsq(design, response, rcond=None)[0]
        rest = ((response - design @ beta) ** 2).sum()
        scores.append(n * np.log(rest / n) + np.log(n) * design.shape[1])
    lag = int(np.argmin(scores))
    return statistic(y, lag), lag


def _rows(y, lag, skipped):
    """Design and response, without the first `skipped` rows that lags may need."""
    change = np.diff(y)
    rows = range(skipped, len(change))
    design = [[y[t], *(change[t - j] for j in range(1, lag + 1)), 1.0] for t in rows]
    return np.array(design), change[skipped:]


def _t_of_level(design, response):
    beta = np.linalg.lstsq(design, response, rcond=None)[0]
    residual = response - design @ beta
    freedom = len(response) - design.shape[1]
    covariance = np.linalg.inv(design.T @ design) * (residual @ residual) / freedom
    return beta[0] / np.sqrt(covariance[0, 0])
