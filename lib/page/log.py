"""Short entries in the host's log: a visitor's faulty client gets one line; a traceback means a bug in this project.

Streamlit reads the states of the controls from the browser's messages, and raises if a client sends what no browser
would, such as text for a number. That client's page then shows one sentence. No other page is affected, and there is
nothing to fix. So that nobody can fill the log with tracebacks, the log omits those that end in Streamlit.
"""

import logging

_LOGGERS = (
    "streamlit.error_util",
    "streamlit.web.server.starlette.starlette_websocket",
    "streamlit.components.v2.bidi_component.serialization",
    "uvicorn.error",
)
_OURS = {"__main__", "lib"}  # the script itself is __main__
_LONGEST = 200  # characters of what the error says


class OneLine(logging.Filter):
    """Keep the traceback of an error that arose in this project's code, and log any other error in one line."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if error and not _is_ours(error):
            record.msg, record.args = (
                "%s: %s: %.*r",
                (record.getMessage(), type(error).__name__, _LONGEST, str(error)),
            )
            record.exc_info = record.exc_text = None
        return True


def _is_ours(error: BaseException) -> bool:
    """Whether the innermost call in our code or Streamlit's is in ours."""
    ours, traceback = True, error.__traceback__
    while traceback:
        package = traceback.tb_frame.f_globals.get("__name__", "").partition(".")[0]
        if package in _OURS or package == "streamlit":
            ours = package in _OURS
        traceback = traceback.tb_next
    return ours


def keep_short() -> None:
    """Install `OneLine` on the loggers, once each."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(filter_, OneLine) for filter_ in logger.filters):
            logger.addFilter(OneLine())
