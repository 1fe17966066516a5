"""A TicTacToe engine on aiohttp that plays the first free cell; prints its port, serves until killed."""

import asyncio

from aiohttp import ClientSession, web


async def main() -> None:
    async with ClientSession() as session:

        async def asked(request: web.BaseRequest) -> web.StreamResponse:
            query = request.query
            value = str(query["Tray"].replace("Init", "0" * 9).index("0") + 1)
            if not query["Referee"]:
                return web.Response(text=value)
            answer = f"{query['Referee']}?Game={query['Game']}&MoveId={query['MoveId']}&Value={value}"
            async with session.get(answer) as response:
                await response.read()
            return web.Response(text="answered")

        runner = web.ServerRunner(web.Server(asked, access_log=None))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        print(runner.addresses[0][1], flush=True)
        await asyncio.Event().wait()


asyncio.run(main())
