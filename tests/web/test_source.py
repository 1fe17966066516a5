"""The program that a site hands out is the one it runs, and pip can read what it needs."""

import io
import tarfile
import tomllib

import arbitre
from tests.web.site import Client


def test_the_source_of_the_site_can_be_taken_away(client: Client) -> None:
    answer = client.get("/source/arbitre.tar.gz")
    assert answer.status == 200
    with tarfile.open(fileobj=io.BytesIO(answer.body)) as archive:
        names = archive.getnames()
        top = f"arbitre-{arbitre.__version__}"
        file = archive.extractfile(f"{top}/pyproject.toml")
        assert file is not None
        project = tomllib.loads(file.read().decode())
    assert all(name.startswith(top + "/") and ".." not in name for name in names)
    assert {f"{top}/src/arbitre/{one}" for one in ("bot.py", "web/templates/layout.html", "web/static/game.js")} <= set(names)
    assert {f"{top}/LICENSE", f"{top}/src/arbitre/web/docs/index.md", f"{top}/src/arbitre/web/docs/fr/index.md"} <= set(names)
    assert not [name for name in names if "__pycache__" in name]
    assert project["project"]["scripts"] == {"arbitre": "arbitre.cli:main"}
    assert any(one.startswith("litestar") for one in project["project"]["dependencies"])
    assert {"agents", "engines", "postgresql"} == set(project["project"]["optional-dependencies"])
    assert "pente" in project["project"]["entry-points"]["arbitre.games"]
