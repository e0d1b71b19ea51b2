"""Hypothesis strategies: truth that does not overlap, found that may do anything."""

from hypothesis import strategies as st


@st.composite
def truths(draw, max_sets=4, max_motifs=8, min_sets=1):
    """Draw true sets: segments cut out of a line, dealt to the sets."""
    sets = draw(st.integers(min_sets, max_sets))
    motifs = draw(st.integers(sets, max(sets, max_motifs)))
    position, segments = 0, []
    for _ in range(motifs):
        position += draw(st.integers(0, 3))
        length = draw(st.integers(1, 6))
        segments.append((position, position + length))
        position += length
    order = draw(st.permutations(segments))
    dealt = [[segment] for segment in order[:sets]]
    for segment in order[sets:]:
        dealt[draw(st.integers(0, sets - 1))].append(segment)
    return dealt


@st.composite
def founds(draw, truth, max_sets=4, max_motifs=5):
    """Draw found sets near the truth: exact, shifted, duplicated or elsewhere."""
    motifs = [segment for segments in truth for segment in segments]

    def near(segment, shift, longer):
        start = max(0, segment[0] + shift)
        return start, max(start + 1, segment[1] + shift + longer)

    segment = st.builds(
        near, st.sampled_from(motifs), st.integers(-2, 2), st.integers(-2, 2)
    )
    return draw(st.lists(st.lists(segment, max_size=max_motifs), max_size=max_sets))


@st.composite
def cases(draw, **limits):
    """Draw a truth and what was found of it."""
    truth = draw(truths(**limits))
    return truth, draw(founds(truth, max_sets=limits.get("max_sets", 4)))
