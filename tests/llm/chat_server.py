"""A small server that speaks OpenAI's chat completions, with answers of one's own."""

import json
from collections.abc import Callable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import NamedTuple

TOKENS = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


class Reply(NamedTuple):
    """What the server sends."""

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


def answer(text, usage=TOKENS, finish_reason="stop"):
    """Return a chat completion."""
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    return Reply(200, json.dumps(whole).encode())


def fault(status, message):
    """Return an error, after which one may ask again at once."""
    return Reply(status, json.dumps({"error": {"message": message}}).encode(), {"retry-after-ms": "1"})


class ChatServer(ThreadingHTTPServer):
    """Answers requests with what a function makes of them, and remembers them."""

    daemon_threads = True

    def __init__(self, reply: Callable[[dict, int], Reply | None]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.reply, self.requests, self.keys, self.lock, self.stopped = reply, [], [], Lock(), Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append({"path": self.path, **request})
            self.server.keys.append(self.headers["Authorization"])
        reply = self.server.reply(request, number)
        if reply is None:  # as a server that hangs
            self.server.stopped.wait(5)
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **dict(reply.headers)}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def serving(reply):
    """Run a server with these replies: a function of the request and its number, or a list, the last one for good."""
    replies = reply if callable(reply) else lambda request, number: reply[min(number, len(reply) - 1)]
    server = ChatServer(replies)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
