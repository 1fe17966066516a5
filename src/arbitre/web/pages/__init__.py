"""The pages of the site, one module for each part of it; `arbitre.web.doors` finds them."""
