"""Draw the pictures of the documentation again.

``python -m tools.docs.pictures [prom | design | methods | front ...]``, by default all.
"""

import sys

from tools.docs import gallery
from tools.docs.pictures import design, front, methods, prom

PARTS = {"prom": prom, "design": design, "methods": methods, "front": front}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        if name == "methods":
            gallery.write()
        PARTS[name].draw_all()
