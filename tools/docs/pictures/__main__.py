"""``python -m tools.docs.pictures``: draw every picture of the documentation again."""

from tools.docs import gallery
from tools.docs.pictures import design, methods, prom

if __name__ == "__main__":
    gallery.write()
    for part in (prom, design, methods):
        part.draw_all()
