"""A language model as an agent of any game, asked through any address that speaks OpenAI's chat completions."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import parse_qsl

import numpy as np
from pydantic import ConfigDict, Field, InstanceOf, validate_call

from agents.agent import AgentError, require_deciders
from agents.random import RandomAgent
from kgb_env import Game, KGBError, NotationError, parse_move, text_view

if TYPE_CHECKING:
    from openai import OpenAI

URL, MODEL, KEY = "KGB_LLM_URL", "KGB_LLM_MODEL", "KGB_LLM_KEY"
KEYS = re.compile(r"[!-~]*")
NO_KEY = "none"  # servers of one's own need none, and the client refuses an empty one
PATIENCE = 3  # batches of requests in a row that may time out before nothing is asked any more
AGAIN = "Answer again, and end with one line 'Move: <move>' and nothing after it."
FINAL_STATUS = (401, 403, 404)  # asking again would be in vain: the key or the model is wrong

Count = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0)]


class Purse:
    """Counts the tokens that one agent has spent, or several that share it; it is pickled as its count.

    Args:
        spent: tokens so far.
        fault: why it is closed, if it is: somebody with a budget could not tell what an answer had cost.
    """

    def __init__(self, spent: int = 0, fault: str = "") -> None:
        self.spent, self.fault, self._lock = spent, fault, Lock()

    def pay(self, tokens: int) -> None:
        """Count tokens that a server has used."""
        with self._lock:
            self.spent += tokens

    def __reduce__(self) -> tuple[type[Purse], tuple[int, str]]:
        return Purse, (self.spent, self.fault)


class LlmError(KGBError, RuntimeError):
    """A language model could not be asked.

    Attributes:
        is_final: it would be in vain to ask it anything else.
    """

    def __init__(self, fault: str, is_final: bool = False) -> None:
        super().__init__(fault)
        self.is_final = is_final


class BadAnswer(NamedTuple):
    """An answer that states no legal move, and what was said about it."""

    answer: str
    complaint: str


class Decision(NamedTuple):
    """How a decision was made.

    Attributes:
        seat: whose it was.
        move: in notation.
        is_forced: there was one legal move only, so the model was not asked.
        is_random: the model gave bad answers only, and a legal move was drawn.
        bad_answers: in order.
        prompt_tokens: as the server counts them, all answers together; 0 if it does not.  A server that tells the sum
            alone is taken to speak of prompts.
        completion_tokens: likewise.
    """

    seat: int
    move: str
    is_forced: bool = False
    is_random: bool = False
    bad_answers: tuple[BadAnswer, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Said(NamedTuple):
    """An answer of the model, and what it cost."""

    text: str
    is_cut_off: bool
    prompt_tokens: int
    completion_tokens: int


class LlmAgent:
    """Ask a language model for each decision, with ``text_view``, and read its answer with ``parse_move``.

    A bad answer goes back to the model with what is wrong; after several of them the move is drawn at random, by the
    decision's seed.  The key is read from the environment variable ``KGB_LLM_KEY`` alone.  No message holds it, or what
    an address says besides server and path.

    Args:
        game: a configured game.
        url: of the server, as in ``http://localhost:8000/v1``.  Default: the environment variable ``KGB_LLM_URL``.
            It alone may hold a login or a query: names of agents are written into tables and files.
        model: what the server calls the model.  Default: ``KGB_LLM_MODEL``.
        attempts: answers that the model may give to a decision.
        timeout: seconds for an answer.
        retries: how often a request is sent again after a lost connection, a time-out, or the statuses 408, 409, 429
            and 5xx, with growing pauses.
        budget: tokens, of prompts and answers, over the life of the agent, or of all that share its purse; once they
            are spent it fails.  Requests that are on their way then are still paid.  Default: no limit.
        temperature: of the model.  Default: the server's.
        max_tokens: of an answer, thoughts included.  Default: the server's.
        concurrency: decisions of a batch that are asked at a time.
        transcript: a file to which all prompts and answers are appended, a line of JSON each.

    Attributes:
        decisions: how each decision was made, in the order in which they were finished.
        purse: what it has spent.  Agents that are given the same purse spend one budget together, as all that
            ``kgb serve`` makes by one name; a copy in another process has a purse of its own.

    Raises:
        AgentError: the package ``openai``, the address or the model is missing, the address holds what is secret, the
            key cannot be sent, or the transcript cannot be written.
    """

    is_reproducible = False  # a server may answer otherwise the next time, whatever the temperature

    @validate_call(config=ConfigDict(arbitrary_types_allowed=True))
    def __init__(
        self,
        game: InstanceOf[Game],
        *,
        url: str | None = None,
        model: str | None = None,
        attempts: Count = 3,
        timeout: Seconds = 120.0,
        retries: Annotated[int, Field(ge=0)] = 4,
        budget: Count | None = None,
        temperature: Annotated[float, Field(ge=0)] | None = None,
        max_tokens: Count | None = None,
        concurrency: Count = 8,
        transcript: str | None = None,
    ) -> None:
        require_client()
        require_open(url)
        require_key()
        self.game = game
        self.url = setting(url, URL, "the address of a server").removesuffix("/").removesuffix("/chat/completions")
        self.model = setting(model, MODEL, "the name of a model")
        self.attempts, self.timeout, self.retries, self.budget = attempts, timeout, retries, budget
        self.concurrency, self.transcript = concurrency, transcript
        self._require_transcript()
        given = {"temperature": temperature, "max_tokens": max_tokens}
        self._sampling = {name: value for name, value in given.items() if value is not None}
        self.decisions: list[Decision] = []
        self.purse = Purse()
        self._unanswered = 0  # requests in a row that have timed out
        self._kept: dict[tuple[bytes, int], int] = {}  # answers of a batch that has failed: they are paid
        self._client: OpenAI | None = None
        self._lock = Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: neither connections nor the key."""
        return {**self.__dict__, "_client": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    @property
    def tokens(self) -> int:
        """The tokens that are spent."""
        return self.purse.spent

    @property
    def incidents(self) -> list[Decision]:
        """The decisions with bad answers."""
        return [decision for decision in self.decisions if decision.bad_answers]

    def notes(self) -> list[str]:
        """Say what one should know about the choices made so far, a sentence each."""
        asked = [decision for decision in self.decisions if not decision.is_forced]
        fallbacks = sum(decision.is_random for decision in asked)
        bad = sum(len(decision.bad_answers) for decision in asked)
        prompt, completion = (sum(getattr(d, f"{kind}_tokens") for d in asked) for kind in ("prompt", "completion"))
        answers = "a bad answer" if self.attempts == 1 else f"{self.attempts} bad answers"
        return [
            f"{fallbacks:,} of {len(asked):,} decisions were random legal moves after {answers}.",
            f"{bad:,} bad answers in all; {prompt:,} tokens of prompts, {completion:,} of answers; "
            f"{len(self.decisions) - len(asked):,} decisions without a choice were not asked.",
        ]

    def close(self) -> None:
        """Close the connections; they are opened again when they are needed."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def initial_carry(self, n: int) -> None:
        """Return nothing: a view holds all that the model is told."""

    def act(self, views: np.ndarray, seeds: np.ndarray, carry: Any = None) -> tuple[np.ndarray, Any]:
        """Return one action for each view, and the carry.

        Raises:
            LlmError: the server could not be asked, or the budget is spent.  What it has answered about other rows is
                kept for when they are asked again.
        """
        seeds = require_deciders(self.game, views, seeds)
        actions = np.empty(views.size, np.int64)
        open_rows = [row for row in range(views.size) if not self._is_forced(views[row : row + 1], actions, row)]
        rows = [(row, views[row : row + 1], seeds[row : row + 1]) for row in open_rows]
        for (row, *_), action in zip(rows, self._choose_side_by_side(rows), strict=True):
            actions[row] = action
        return actions, carry

    def _is_forced(self, view: np.ndarray, actions: np.ndarray, row: int) -> bool:
        """Make a decision without a choice."""
        legal = self.game.legal(view)
        if legal.size > 1:
            return False
        actions[row] = legal[0]
        self._note(Decision(int(view["viewer"][0]), self.game.notation.action(self.game, view, int(legal[0])), True))
        return True

    def _choose_side_by_side(self, rows: list[tuple[int, np.ndarray, np.ndarray]]) -> list[int]:
        """Ask about several decisions at a time; after a failure begin no more, and keep what was answered."""
        if not rows:
            return []
        with ThreadPoolExecutor(min(self.concurrency, len(rows))) as pool:
            asked = [pool.submit(self._choose_or_recall, view, seed) for _, view, seed in rows]
            try:
                wait(asked, return_when=FIRST_EXCEPTION)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
        failed = [future for future in asked if future.cancelled() or future.exception()]
        if not failed:
            return [future.result() for future in asked]
        for (_, view, seed), future in zip(rows, asked, strict=True):
            if future not in failed:
                self._kept[view.tobytes(), int(seed[0])] = future.result()
        raise next(error for future in asked if not future.cancelled() and (error := future.exception()))

    def _choose_or_recall(self, view: np.ndarray, seed: np.ndarray) -> int:
        """Return the answer that is paid already, or ask."""
        kept = self._kept.pop((view.tobytes(), int(seed[0])), None)
        return self._choose(view, seed) if kept is None else kept

    def _choose(self, view: np.ndarray, seed: np.ndarray) -> int:
        """Ask the model about one decision until it states a legal move, or draw one."""
        messages = [{"role": "user", "content": text_view(view)}]
        bad: list[BadAnswer] = []
        prompt = completion = 0
        action = None
        while action is None and len(bad) < self.attempts:
            said = self._ask(messages)
            prompt, completion = prompt + said.prompt_tokens, completion + said.completion_tokens
            complaint = ""
            try:
                action = parse_move(view, said.text, is_cut_off=said.is_cut_off)
            except NotationError as error:
                cut = "Your answer was cut off: it was too long. " if said.is_cut_off else ""
                complaint = f"{cut}{error}"
                bad.append(BadAnswer(said.text, complaint))
            self._write(messages, said, complaint)
            messages = [
                *messages,
                {"role": "assistant", "content": said.text or "(nothing)"},
                {"role": "user", "content": f"{complaint}\n{AGAIN}"},
            ]
        is_random = action is None
        if action is None:
            action = int(RandomAgent(self.game).act(view, seed)[0][0])
        move, seat = self.game.notation.action(self.game, view, action), int(view["viewer"][0])
        self._note(Decision(seat, move, False, is_random, tuple(bad), prompt, completion))
        return action

    def _ask(self, messages: list[dict[str, str]]) -> Said:
        """Send messages and return the answer.

        Raises:
            LlmError: there is none, or the budget is spent.
        """
        if self.budget is not None and self.tokens >= self.budget:
            raise LlmError(f"the budget is spent: {self.tokens:,} of {self.budget:,} tokens", is_final=True)
        if self.budget is not None and self.purse.fault:
            raise LlmError(self.purse.fault, is_final=True)
        client = self._connected()
        said = self._checked(lambda: client.chat.completions.create(**self._request(messages)))
        with self._lock:
            self._unanswered = 0
        return said

    def _request(self, messages: list[dict[str, str]]) -> Any:
        return {"model": self.model, "messages": messages, **self._sampling}

    def _checked(self, create: Callable[[], Any]) -> Said:
        """Return what the server answers, or raise LlmError."""
        from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

        where = f"the model {self.model!r} at {shown_address(self.url)}"
        try:
            return self._read(create(), where)
        except APITimeoutError:
            self._unanswered += 1
            is_final = self._unanswered >= PATIENCE * self.concurrency
            raise LlmError(f"{where} has not answered within {self.timeout:g} s, {self._times()}", is_final) from None
        except APIConnectionError as error:
            reason = error.__cause__ or error
            told = self._without_secrets(str(reason))
            raise LlmError(f"{where} cannot be reached, {self._times()}: {told}", is_final=True) from None
        except APIStatusError as error:
            is_final = error.status_code in FINAL_STATUS
            hint = {401: f" (see {KEY})", 403: f" (see {KEY})", 404: f" (see {URL} and {MODEL})"}
            told = (
                f"status {error.status_code}{hint.get(error.status_code, '')}: {self._without_secrets(error.message)}"
            )
            raise LlmError(f"{where} answers with {told}", is_final) from None
        except (OpenAIError, ValueError) as error:
            told = self._without_secrets(str(error))
            raise LlmError(f"{where} answers with something else than a chat completion: {told}") from None

    def _times(self) -> str:
        return "asked once" if not self.retries else f"asked {self.retries + 1} times"

    def _read(self, completion: Any, where: str) -> Said:
        """Pay for a chat completion, and return what it holds."""
        counted = self._pay(getattr(completion, "usage", None), where)
        is_unpaid = counted is None and self.budget is not None
        if is_unpaid:
            self.purse.fault = f"{where} does not say how many tokens it uses, so no budget can be kept"
        try:
            choice = completion.choices[0]
            text, is_cut_off = choice.message.content or "", choice.finish_reason == "length"
            text = text.encode("utf-8", "replace").decode()  # half a letter could not be sent back
        except (AttributeError, LookupError, TypeError):
            told = self._without_secrets(" ".join(str(completion).split()))[:200]
            raise LlmError(f"{where} answers with something else than a chat completion: {told!r}", is_unpaid) from None
        if is_unpaid:
            raise LlmError(self.purse.fault, is_final=True)
        return Said(text, is_cut_off, *(counted or (0, 0)))

    def _pay(self, usage: Any, where: str) -> tuple[int, int] | None:
        """Count the tokens of prompt and answer, and return them; None if the server does not say.

        Raises:
            LlmError: it says nonsense.
        """
        told = [getattr(usage, f"{kind}_tokens", None) for kind in ("prompt", "completion", "total")]
        if any(figure is not None and (type(figure) is not int or figure < 0) for figure in told):
            figures = self._without_secrets(str(told))[:200]
            fault = f"{where} counts its tokens of prompts, answers and both as {figures}; whole numbers are expected"
            if self.budget is not None:
                self.purse.fault = fault
            raise LlmError(fault, is_final=self.budget is not None)
        prompt, completion, total = (figure or 0 for figure in told)
        if not prompt + completion:
            prompt = total
        self.purse.pay(prompt + completion)
        return (prompt, completion) if prompt + completion else None

    def _without_secrets(self, text: str) -> str:
        """Return a text of the server's, or of a failure, without the key and what an address hides."""
        for secret in hidden_in(self.url):
            text = text.replace(secret, "***")
        return without_key(text)

    def _connected(self) -> OpenAI:
        """Return the client, which is made when it is needed: it cannot be sent to another process.

        Raises:
            AgentError: the address or the key cannot be used.
        """
        client, key = require_client(), require_key() or NO_KEY
        with self._lock:
            if self._client is None:
                try:
                    self._client = client(
                        base_url=self.url, api_key=key, timeout=self.timeout, max_retries=self.retries
                    )
                except Exception as error:  # which one depends on what the client is built on
                    told = self._without_secrets(str(error))
                    raise AgentError(f"{shown_address(self.url)!r} is no address of a server: {told}") from None
            return self._client

    def _note(self, decision: Decision) -> None:
        with self._lock:
            self.decisions.append(decision)

    def _require_transcript(self) -> None:
        """Refuse a transcript that cannot be written: better to know now than after the first answer is paid."""
        if self.transcript is not None:
            try:
                Path(self.transcript).open("a", encoding="utf-8").close()
            except OSError as error:
                raise AgentError(f"transcript={self.transcript!r} cannot be written: {error.strerror}") from None

    def _write(self, messages: list[dict[str, str]], said: Said, complaint: str) -> None:
        """Append an exchange to the transcript."""
        if self.transcript is None:
            return
        line = json.dumps({"model": self.model, "messages": messages, "answer": said._asdict(), "fault": complaint})
        with self._lock, Path(self.transcript).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def require_client() -> type[OpenAI]:
    """Return the class of clients, or raise AgentError if its package is missing."""
    try:
        from openai import OpenAI
    except ImportError:
        raise AgentError("the package openai is missing: pip install 'kgb-env[llm]'") from None
    return OpenAI


def require_open(url: str | None) -> None:
    """Refuse an address with a login or a query as an argument: the names of agents are for everybody.

    Raises:
        AgentError: it holds one.
    """
    if url and hidden_in(url):
        raise AgentError(
            f"url: everybody reads the names of agents; what {shown_address(url)} wants to know besides, "
            f"give it by the environment variable {URL}"
        )


def require_key() -> str:
    """Return the key, "" if there is none; the client would tell one that it cannot send.

    Raises:
        AgentError: it holds more than the letters, digits and signs that can be sent.
    """
    key = os.environ.get(KEY, "").strip()
    if not KEYS.fullmatch(key):
        raise AgentError(f"{KEY}: a key is one word of ASCII letters, digits and signs, without spaces and line breaks")
    return key


def setting(given: str | None, variable: str, what: str) -> str:
    """Return an argument, or else an environment variable; without either, raise AgentError."""
    value = given or os.environ.get(variable, "")
    if not value:
        argument = variable.rpartition("_")[2].lower()
        raise AgentError(f"{what} is missing: set the environment variable {variable}, or give {argument}=...")
    return value


def shown_address(url: str) -> str:
    """Return an address as messages have it: without user, password and query."""
    scheme, slashes, place = re.split(r"[?#]", url)[0].rpartition("://")
    return f"{scheme}{slashes}{place.rpartition('@')[2]}"


def hidden_in(url: str) -> list[str]:
    """Return what ``shown_address`` leaves out, whole and in parts, the longest first."""
    address, *queries = re.split(r"[?#]", url)
    login = address.rpartition("://")[2].rpartition("@")[0]
    values = [value for query in queries for _, value in parse_qsl(query)]
    return sorted({login, *login.split(":"), *queries, *values} - {""}, key=len, reverse=True)


def without_key(text: str) -> str:
    """Return a text with ``***`` for the key."""
    key = os.environ.get(KEY, "").strip()
    for written in (json.dumps(key)[1:-1], key) if key else ():
        text = text.replace(written, "***")
    return text
