"""`arbitre games`: what can be played."""

import json

import click
from msgspec import to_builtins

from arbitre.cli.language import language
from arbitre.cli.options import GameName, json_option, read_options
from arbitre.cli.speech import phrase, said, tell
from arbitre.games.catalogue import Listing, Option, listing, listings


@click.command()
@click.argument("name", type=GameName(), required=False, metavar="[GAME]")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the game.")
@json_option
def games(name: str | None, options: tuple[str, ...], as_json: bool) -> None:
    """List the games with a line each, or explain one GAME and its options.

    With --json GAME is told whole, as a program that knows nothing of it needs it: rules in words, options, how moves and
    positions are spelt with these options.
    """
    chosen = listings() if name is None else (listing(name),)
    if as_json and name is not None:
        from arbitre.web.rulebook import rulebook  # noqa: PLC0415 - it takes a while to import

        book = to_builtins(rulebook(listing(name), language(), dict(read_options(options))))
        click.echo(json.dumps(book, ensure_ascii=False, indent=2))
    elif as_json:
        click.echo(json.dumps([_described(one) for one in chosen], ensure_ascii=False, indent=2))
    elif name is None:
        wide = max(len(one.name) for one in chosen)
        for one in chosen:
            click.echo(f"{one.name:<{wide}}  {_line(one)}")
    else:
        _explain(chosen[0])


def _explain(one: Listing) -> None:
    game = one.game()
    click.echo(f"{one.called(language())}: {_line(one)}")
    tell("%(seats)s seats; identifier %(name)s", seats=game.seats, name=one.name)
    for each in one.options():
        shown = ("yes" if each.default else "no") if isinstance(each.default, bool) else each.default
        may = said(each.bounds) if each.bounds is not None else phrase(" or ").join(each.values)
        click.echo(f"  --option {each.name}={shown}  {_said_of(each)}{may and f' ({may})'}")
    tell("try: arbitre play %(name)s", name=one.name)


def _described(one: Listing) -> dict[str, object]:
    options = [{"name": each.name, "default": each.default, "line": each.line} for each in one.options()]
    return {
        "name": one.name,
        "title": one.title,
        "line": one.line,
        "ligne": one.ligne,
        "seats": one.game().seats,
        "options": options,
    }


def _said_of(option: Option) -> str:
    return option.ligne if language() == "fr" and option.ligne else phrase(option.line)


def _line(one: Listing) -> str:
    return one.ligne if language() == "fr" else one.line
