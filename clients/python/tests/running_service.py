"""RunningService: the real `hone up` in a folder of its own, and a native agent. HONE_BINARY names the program, HONE_AGENT_DIR the agent's files."""
from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from hone_client import Client, DeviceChanged

WAIT_S = 30


class RunningService:
    def __init__(self, *options: str) -> None:
        self._ends = contextlib.ExitStack()
        self.folder = Path(self._ends.enter_context(tempfile.TemporaryDirectory()))
        self._environment = os.environ | {"HONE_CACHE_DIR": f"{self.folder}/cache", "HONE_TLS_DIR": f"{self.folder}/tls", "XDG_RUNTIME_DIR": str(self.folder), "XDG_STATE_HOME": f"{self.folder}/state"}
        if "--tls" in options:
            subprocess.run([os.environ["HONE_BINARY"], "tls", "init"], env=self._environment, cwd=self.folder, check=True, timeout=WAIT_S, capture_output=True)
        up = self._start("up", "--port", "0", *options)
        assert up.stdout is not None
        self._agent_url = up.stdout.readline().strip()
        self.url, _, self.token = self._agent_url.partition("/agent/#token=")
        assert self.token, f"the service did not start: {(self.folder / 'up.log').read_text()}"

    def client(self) -> Client:
        return Client(self.url, token=self.token)

    def start_agent(self) -> None:
        """Returns when its device is there."""
        with self.client().events() as events:
            self._start("agent", "--tracker", self._agent_url, "--browser", "native")
            for event in events:
                if isinstance(event, DeviceChanged) and event.event.kind == "connected":
                    return

    def _start(self, verb: str, *options: str) -> subprocess.Popen[str]:
        log = self._ends.enter_context((self.folder / f"{verb}.log").open("w"))
        process = subprocess.Popen([os.environ["HONE_BINARY"], verb, *options], env=self._environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=log, text=True)
        self._ends.callback(_end, process)
        return process

    def close(self) -> None:
        self._ends.close()

    def __enter__(self) -> RunningService:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(WAIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    assert process.stdout is not None
    process.stdout.close()
