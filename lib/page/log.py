"""The log of the host: what a visitor's client got wrong takes one line of it; a traceback means a fault of ours.

Streamlit reads the states of the controls from the browser's messages, and raises if a client sends what no browser
would, such as text for a number. That client's page then shows one sentence. No other page is affected, and there is
nothing to mend. So that nobody can fill the log with tracebacks, those that end in Streamlit are left out.
"""

import logging

_LOGGERS = ("streamlit.error_util", "streamlit.web.server.starlette.starlette_websocket", "uvicorn.error")
_OURS = {"__main__", "lib"}  # the script itself is __main__
_LONGEST = 200  # characters of what the error says


class OneLine(logging.Filter):
    """Keeps the traceback of an error that arose in the project's own code, and reports any other in one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error and not _is_ours(error):
            record.msg, record.args = "%s: %s: %.*r", (record.getMessage(), type(error).__name__, _LONGEST, str(error))
            record.exc_info = record.exc_text = None
        return True


def _is_ours(error: BaseException) -> bool:
    """Whether, of all calls that are ours or Streamlit's, the innermost is ours."""
    ours, traceback = True, error.__traceback__
    while traceback:
        package = traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        if package in _OURS or package == "streamlit":
            ours = package in _OURS
        traceback = traceback.tb_next
    return ours


def keep_short() -> None:
    """From here on, errors are logged as described above."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(filter_, OneLine) for filter_ in logger.filters):
            logger.addFilter(OneLine())
