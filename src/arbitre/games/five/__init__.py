"""What the strong players of five in a row share: a kernel, and how they think with it. No game of its own."""
