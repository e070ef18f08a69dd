"""Recurses without end."""

def recurse():
    return recurse()


recurse()
