"""Reads standard input, where there is none."""

input()
