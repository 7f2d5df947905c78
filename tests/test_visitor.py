"""The visitor without a browser, by the messages that a server sends."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.visitor import Visitor


def begins(visitor: Visitor, *fragments: str) -> None:
    message = ForwardMsg()
    message.new_session.initialize.session_id = "session"
    message.metadata.run.fragment_ids.extend(fragments)
    visitor._take(message)


def ends(visitor: Visitor, how: int = ForwardMsg.FINISHED_SUCCESSFULLY) -> None:
    visitor._take(ForwardMsg(script_finished=how))


@pytest.mark.parametrize(
    "how", [ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_EARLY_FOR_RERUN]
)
def test_a_run_that_ended_before_another_began_is_not_its_end(how):
    visitor = Visitor("nowhere")
    begins(visitor, "fragment")
    ends(visitor)
    begins(visitor)
    assert not visitor.ran
    ends(visitor, how)
    assert visitor.ran is (how == ForwardMsg.FINISHED_SUCCESSFULLY)
    begins(visitor, "fragment")
    ends(visitor)
    assert visitor.ran
