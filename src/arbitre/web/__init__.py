"""The site: what `arbitre serve` shows in a browser (spec: tournoyons, sections 7 and 9)."""
