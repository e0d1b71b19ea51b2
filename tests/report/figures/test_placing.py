"""Names beside points do not lie on each other."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tsmdbench.report.figures.time_quality import Box, place_names

FRAME = Box(0.0, 0.0, 7.0, 4.0)
point = st.tuples(st.floats(0, 7), st.floats(0, 4))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(point, st.floats(0.2, 1.6)), min_size=1, max_size=25))
def test_names_have_places_of_their_own(names):
    points = [where for where, _ in names]
    boxes = place_names(points, [(width, 0.15) for _, width in names], FRAME)
    assert None not in boxes
    assert all(box.within(FRAME) for box in boxes)
    assert not any(a.meets(b) for a, b in combinations(boxes, 2))
    for box in boxes:
        assert not any(
            box.left < x < box.right and box.bottom < y < box.top for x, y in points
        )
    assert boxes == place_names(points, [(width, 0.15) for _, width in names], FRAME)


def test_a_name_is_next_to_a_lonely_point():
    (box,) = place_names([(3.0, 2.0)], [(1.0, 0.15)], FRAME)
    assert 3.0 < box.left < 3.2
    assert (box.bottom + box.top) / 2 == 2.0


def test_no_place_is_said_so():
    tiny = Box(0, 0, 0.5, 0.5)
    assert place_names([(0.2, 0.2)], [(1.0, 0.15)], tiny) == [None]
