"""A refusal of HTTP with fields, so that it is told in the visitor's words."""

from litestar.exceptions import HTTPException

from arbitre.reasons import Reason


class RefusedException(HTTPException):
    """What was sent cannot be; `reason` says why."""

    def __init__(self, template: str, status: int, /, **fields: object) -> None:
        self.reason = Reason(template, **fields)
        super().__init__(str(self.reason), status_code=status)
