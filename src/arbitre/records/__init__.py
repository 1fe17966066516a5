"""Records of matches: events, their chain and seal, the store that keeps them, and the forms in which they leave the house."""
