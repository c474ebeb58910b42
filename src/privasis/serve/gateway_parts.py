"""Which parts of a request the gateway can read; all others are refused, not passed on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

Endpoint = Literal["chat/completions", "responses"]

_TEXT_PARTS: Final = frozenset(
    {"text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text"}
)
_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_ITEM_TABLE: Final = """
message function_call function_call_output custom_tool_call custom_tool_call_output reasoning web_search_call
"""
_ITEMS: Final = frozenset(_ITEM_TABLE.split())
_TOOLS: Final = frozenset({"function", "custom", "web_search", "web_search_preview"})
_OPAQUE_TABLE: Final = """
image image_url input_audio audio video file file_id file_data file_url input_file screenshot
encrypted_content
"""
OPAQUE: Final = frozenset(_OPAQUE_TABLE.split())
# What makes the upstream use something that it keeps, whose placeholders are not those of this request.
_STORED: Final = {
    "previous_response_id": "the conversation that the upstream keeps cannot be read: send the whole input",
    "conversation": "the conversation that the upstream keeps cannot be read: send the whole input",
    "prompt": "a prompt that the upstream keeps cannot be read: send its text",
    "background": "an answer that is fetched later cannot be restored",
    "audio": "audio cannot be restored",
    "logprobs": "probabilities of tokens tell of the placeholders, not of your text",
    "top_logprobs": "probabilities of tokens tell of the placeholders, not of your text",
}


class Refused(Exception):
    """A request that is not passed on; the message is for a person and holds no text of it.

    Args:
        where: The field, such as ``messages.2.content``.
        reason: What is the matter and what to do.
    """

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where = where


def check_parts(body: Mapping[str, Any], endpoint: Endpoint) -> None:
    """Check that every part of a request can be read.

    Raises:
        Refused: One cannot.
    """
    for field, reason in _STORED.items():
        if body.get(field) not in (None, False, 0) and not (field == "prompt" and endpoint != "responses"):
            raise Refused(field, f"{reason}.")
    if "audio" in _listed(body.get("modalities"), "modalities"):
        raise Refused("modalities", "audio cannot be restored.")
    if any("logprobs" in str(one) for one in _listed(body.get("include"), "include")):
        raise Refused("include", f"{_STORED['logprobs']}.")
    for number, tool in enumerate(_listed(body.get("tools"), "tools")):
        if not isinstance(tool, dict) or tool.get("type", "function") not in _TOOLS:
            raise Refused(f"tools.{number}", "a tool of this type cannot be read, so it is not passed on.")
    if endpoint == "chat/completions":
        for number, message in enumerate(_listed(body.get("messages"), "messages")):
            _check_message(message, f"messages.{number}")
        return
    if isinstance(body.get("input"), str):
        return
    for number, item in enumerate(_listed(body.get("input"), "input")):
        _check_item(item, f"input.{number}")


def _listed(value: Any, where: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise Refused(where, "a list is expected here; what cannot be read is not passed on.")
    return value


def _check_message(message: Any, where: str) -> None:
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        raise Refused(where, "no message of a known role; what cannot be read is not passed on.")
    _check_content(message.get("content"), f"{where}.content")
    for number, call in enumerate(_listed(message.get("tool_calls"), f"{where}.tool_calls")):
        if not isinstance(call, dict) or call.get("type", "function") not in {"function", "custom"}:
            raise Refused(f"{where}.tool_calls.{number}", "a tool call of this type cannot be read.")


def _check_item(item: Any, where: str) -> None:
    kind = item.get("type", "message" if "role" in item else None) if isinstance(item, dict) else None
    if kind not in _ITEMS:
        raise Refused(where, "an item of this type cannot be read, so it is not passed on.")
    if kind == "message":
        _check_message(item, where)
    for field in ("output", "summary") if kind != "web_search_call" else ():
        _check_content(item.get(field), f"{where}.{field}")
    if kind == "reasoning":
        _check_content(item.get("content"), f"{where}.content")


def _check_content(content: Any, where: str) -> None:
    if content is None or isinstance(content, str):
        return
    for number, part in enumerate(_listed(content, where)):
        if not isinstance(part, dict) or part.get("type") not in _TEXT_PARTS:
            raise Refused(
                f"{where}.{number}", "only text can be read; a part of another type is not passed on."
            )
