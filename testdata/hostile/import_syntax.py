"""Is no Python."""

def
