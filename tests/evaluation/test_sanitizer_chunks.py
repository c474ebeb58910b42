"""The sanitizer that is given chunks: what Figure 5 sweeps."""

from __future__ import annotations

from privasis.evaluation.layouts import PLAIN, layout
from privasis.evaluation.sanitizer import Sanitized, Sanitizer
from privasis.llm.client import open_client
from privasis.llm.messages import ClientOptions, Model
from privasis.text.chunks import split
from support.answers import Ask
from support.scripted_server import Script, ScriptedServer

TEXT = "\n\n".join(f"Paragraph {n} speaks of Ann and of the weather in {n} towns.\n" for n in range(12))


async def cleaned(answer: str | None, size: int) -> tuple[Sanitized, list[str]]:
    """Sanitize by chunks with a model that gives each text back with Ann's name taken out."""
    seen: list[str] = []

    def reply(ask: Ask) -> str:
        chunk = next(part.strip() for part in pieces if part.strip() in ask.user)
        seen.append(chunk)
        return chunk.replace("Ann", "someone") if answer is None else answer

    pieces = [TEXT[span.start : span.end] for span in split(TEXT, size)]
    with ScriptedServer(Script(answer=reply)) as server:
        model = Model("scripted", server.base_url)
        async with open_client([model], ClientOptions(retries=0), None) as client:
            made = await Sanitizer(client, model, layout(PLAIN), 7).by_chunks(TEXT, "Take out Ann.", size)
    return made, seen


async def test_chunks_are_asked_alone_and_put_together_with_their_blanks() -> None:
    made, seen = await cleaned(None, 128)
    assert made.text == TEXT.replace("Ann", "someone")
    assert len(seen) == len(made.calls) == len(split(TEXT, 128)) > 1


async def test_one_chunk_without_an_answer_leaves_no_text() -> None:
    made, _ = await cleaned("", 128)
    assert (made.text, made.failure) == ("", "empty_answer")
