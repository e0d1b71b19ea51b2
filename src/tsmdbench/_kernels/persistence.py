"""Components of a graph that grows edge by edge, and which samples windows may claim.

Edges enter by ascending weight. A node is born with its first edge; when two components
meet, the younger one dies and joins the elder. What is left of a component that lived
long before it died is a set of nodes that are like each other and unlike the rest
(persistent homology of degree 0). Union-find on arrays, without recursion.
"""

import numpy as np

from tsmdbench._kernels.jit import kernel


@kernel
def find_root(parent, x):
    """Return the root of a node, and halve the path to it. Writes parent."""
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@kernel
def grow(low, high, weight, count):
    """Let edges enter in the order given, by ascending weight; note who dies when.

    low, high: i8[E], ends of each edge, low < high; weight: f8[E]. -> birth f8[count],
    inf for nodes without an edge; death f8[count], inf for those that never die; tree
    i8[m], the edges that joined two components. Of equally old roots, the one on the
    side of `low` dies. O(E) up to the inverse Ackermann function.
    """
    parent = np.arange(count)
    birth, death = np.full(count, np.inf), np.full(count, np.inf)
    tree = np.empty(count, np.int64)
    size = 0
    for e in range(low.size):
        birth[low[e]] = min(birth[low[e]], weight[e])
        birth[high[e]] = min(birth[high[e]], weight[e])
        u, v = find_root(parent, low[e]), find_root(parent, high[e])
        if u == v:
            continue
        elder, younger = (u, v) if birth[u] < birth[v] else (v, u)
        parent[younger] = elder
        death[younger] = weight[e]
        tree[size] = e
        size += 1
    return birth, death, tree[:size]


@kernel
def join_short_lived(low, high, weight, birth, cut):
    """Join components again, but only where the younger one lived less than `cut`.

    low, high, weight: the edges of the tree of `grow`, in its order; birth: f8[N] on
    the scale of weight. -> root of every node i8[N].
    """
    parent = np.arange(birth.size)
    for e in range(low.size):
        u, v = find_root(parent, low[e]), find_root(parent, high[e])
        if u != v and weight[e] - max(birth[u], birth[v]) < cut:
            if birth[u] < birth[v]:
                parent[v] = u
            else:
                parent[u] = v
    for x in range(birth.size):
        parent[x] = find_root(parent, x)
    return parent


@kernel
def claim(starts, runs, l, n):  # noqa: E741
    """Mark the windows that get their samples, first come, first served. -> bool[m].

    starts, runs: i8[m]; a window gets its samples if each is free or belongs to its own
    run, a positive number. O(m l).
    """
    owner = np.zeros(n, np.int64)
    taken = np.zeros(starts.size, np.bool_)
    for m in range(starts.size):
        samples = owner[starts[m] : starts[m] + l]
        others = 0
        for s in range(samples.size):
            others += (samples[s] != 0) & (samples[s] != runs[m])
        if others == 0:
            samples[:] = runs[m]
            taken[m] = True
    return taken
