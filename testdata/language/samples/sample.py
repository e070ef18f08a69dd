"""Lists a folder."""
folder = "a folder"  # a folder
