"""Short log entries: one line for a faulty client, a traceback for a bug in this project.

Streamlit raises an error if a client sends a message that no browser would send, such as text for a
number. The page of that client then shows one sentence; other pages are not affected, and there is
nothing to fix. Errors that arise inside Streamlit are logged without their traceback, so that no
client can fill the log.
"""

import logging

_LOGGERS = (
    "streamlit.error_util",
    "streamlit.web.server.starlette.starlette_websocket",
    "streamlit.components.v2.bidi_component.serialization",
    "uvicorn.error",
)
_OURS = {"__main__", "lib"}  # the script itself is __main__
_LONGEST = 200  # characters of an error's message


class OneLine(logging.Filter):
    """A filter that reduces an error to one line, unless it arose in this project's code."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error and not _is_ours(error):
            message = record.getMessage()
            record.msg = "%s: %s: %.*r"
            record.args = (message, type(error).__name__, _LONGEST, str(error))
            record.exc_info = record.exc_text = None
        return True


def _is_ours(error: BaseException) -> bool:
    """Return whether, of this project's and Streamlit's frames in the traceback, the innermost is
    ours; True without such frames."""
    ours = True
    traceback = error.__traceback__
    while traceback:
        package = traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        if package in _OURS or package == "streamlit":
            ours = package in _OURS
        traceback = traceback.tb_next
    return ours


def shorten_tracebacks() -> None:
    """Add `OneLine` to the loggers that do not have it yet."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(filter_, OneLine) for filter_ in logger.filters):
            logger.addFilter(OneLine())
