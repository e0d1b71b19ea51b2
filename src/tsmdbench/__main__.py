"""``python -m tsmdbench``: the command line, where its script is not on the path."""

from tsmdbench.cli import main

if __name__ == "__main__":
    main()
