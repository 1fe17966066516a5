"""Programs for the terminal."""
