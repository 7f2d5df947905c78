"""The log of the host: a fault of what a visitor's client sent is one line of it; a traceback is a fault of ours.

Streamlit reads the states of the controls from the messages of the browser, and raises where a client sends what no
browser would, a text for a number. The page of that client has one sentence then. No other page is concerned, and there
is nothing to mend: so that nobody can fill the log with tracebacks, those that end in Streamlit are left out.
"""

import logging

_LOGGERS = ("streamlit.error_util", "streamlit.web.server.starlette.starlette_websocket", "uvicorn.error")
_OURS = {"__main__", "lib"}  # the script itself is __main__
_LONGEST = 200  # characters of what the error says


class OneLine(logging.Filter):
    """Keeps the traceback of an error that arose in the project's own code, and says others in one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error and not _is_ours(error):
            record.msg, record.args = "%s: %s: %.*r", (record.getMessage(), type(error).__name__, _LONGEST, str(error))
            record.exc_info = record.exc_text = None
        return True


def _is_ours(error: BaseException) -> bool:
    """Whether the innermost call that is ours or Streamlit's is ours."""
    ours, traceback = True, error.__traceback__
    while traceback:
        package = traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        if package in _OURS or package == "streamlit":
            ours = package in _OURS
        traceback = traceback.tb_next
    return ours


def keep_short() -> None:
    """From here on the log is as told above."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(filter_, OneLine) for filter_ in logger.filters):
            logger.addFilter(OneLine())
