"""From a store to tables, figures and a page."""
