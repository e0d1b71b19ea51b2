"""Every picture of the documentation, drawn from what the package computes."""
