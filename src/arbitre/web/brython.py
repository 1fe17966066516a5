"""Python for browsers: Brython as its package has it, and of its library what bots use (spec: workshop, section 2).

The whole library is five megabytes; what is left of it here is what bots import, with what that imports. Both are handed out
compressed, under the mark of their content.
"""

from functools import cache
from gzip import compress
from json import dumps, loads
from pathlib import Path

import brython

from arbitre.values import value
from arbitre.web.files import File, made

OFFERED = (
    "array", "bisect", "collections", "copy", "dataclasses", "enum", "functools", "heapq", "itertools", "json", "math",
    "operator", "random", "re", "string", "time", "typing",
)  # fmt: skip
"""What a bot may import."""
WARM = ("random", "math", "itertools", "collections", "heapq", "copy", "time", "functools")
"""What is compiled before anybody's program runs: most bots import some of it."""
BENEATH = (
    "_ast", "_collections", "_collections_abc", "_functools", "_json", "_locale", "_operator", "_py_abc", "_random",
    "_string", "_thread", "_typing", "_weakref", "_weakrefset", "abc", "annotationlib", "ast", "browser", "builtins",
    "copyreg", "genericpath", "json.encoder", "keyword", "numbers", "os", "posix", "posixpath", "python_re", "reprlib",
    "stat", "sys", "types", "weakref",
)  # fmt: skip
"""What those import."""
DATA = Path(brython.__file__).with_name("data")


@value
class Packed:
    """A file, and the same compressed."""

    file: File
    small: bytes


@cache
def python() -> Packed:
    """Return the language."""
    return _packed((DATA / "brython.js").read_bytes())


@cache
def library() -> Packed:
    """Return the modules that bots may import."""
    text = (DATA / "brython_stdlib.js").read_text(encoding="utf-8")
    found = loads(text[text.index("{") : text.rindex("}") + 1])
    kept = {name: found[name] for name in ("$timestamp", *sorted({*OFFERED, *BENEATH}))}
    script = f"__BRYTHON__.use_VFS = true;\nvar scripts = {dumps(kept)}\n__BRYTHON__.update_VFS(scripts)\n"
    return _packed(script.encode())


def _packed(body: bytes) -> Packed:
    return Packed(made(body, ".js"), compress(body, 6, mtime=0))
