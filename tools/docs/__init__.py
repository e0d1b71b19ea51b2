"""What the documentation site is made with: examples, pages, pictures, checks."""
