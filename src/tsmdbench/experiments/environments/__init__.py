"""Methods in other Python environments: which one, how it is made, how it is asked."""
