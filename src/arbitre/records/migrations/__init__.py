"""How the store's schema came to be, step by step; a store of any earlier step is brought up to date when it is opened."""
