"""Answers that no hone service gives: each ends in an exception of this package, soon, and without taking memory without bound."""
from __future__ import annotations

import itertools
import resource
import time
import unittest
from collections.abc import Callable, Iterator
from unittest import mock

from hone_client import BrokenReplyError, Client, HoneError, JobError, Model, Operator, RefusedError, TimedOutError, Tune, UnreachableError, limits
from scripted_service import TOKEN, ScriptedService, event, reply, stream

ACCEPTED = event("job_accepted", '{"job":"tune-1"}')
DONE = event("job_done", '{"job":"tune-1","result":{"cancelled":false}}')
PROGRESS = b'{"job":"tune-1","phase":"of_a_newer_service","task":"","tasks_done":0,"tasks_total":1,"trials_done":3,"trials_total":8,"best_us":1,"trials_per_second":0.5,"left_s":0.0,"message":""}'
TUNE = Tune(Operator("matmul:8x8x8"), target="native")
PIECE = b"x" * (1 << 20)


def endless(head: bytes, piece: bytes = PIECE) -> Callable[[], Iterator[bytes]]:
    return lambda: itertools.chain([head], itertools.repeat(piece))


def output_piece(offset: int, text: str) -> bytes:
    return event("payload", f'{{"offset":{offset},"base64":"{text}"}}')


def list_devices(client: Client) -> None:
    list(client.devices.list())


def list_records(client: Client) -> None:
    list(client.records.list())


def tune(client: Client) -> None:
    with client.jobs.start(TUNE) as job:
        job.wait()


def resident_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class HostileTest(unittest.TestCase):
    def expect(self, error: type[HoneError], said: bytes | Callable[[], Iterator[bytes]], ask: Callable[[Client], None], text: str = "") -> HoneError:
        with ScriptedService(lambda head: said() if callable(said) else [said]) as service:
            with self.assertRaises(error) as raised:
                ask(service.client())
        self.assertIn(text, raised.exception.message)
        return raised.exception

    def test_replies_that_are_none(self) -> None:
        """Given answers that are no reply of a service, when devices are asked for, then each is refused with what is wrong; one that is right is taken."""
        deep = b"[" * 200_000
        for said, text in [
            (reply(b"{}"), "Devices.devices is missing"), (reply(b"[]"), "expected an object"), (reply(b'{"devices":3}'), "expected a list"),
            (reply(b'{"devices":[{"device_id":7}]}'), "Devices.devices[0].device_id is int, expected str"), (reply(b'{"devices":[],"more":1}'), "expected bool"),
            (reply(b"{"), "no JSON"), (reply(b"\xff\xfe"), "no JSON"), (reply(b'{"devices":NaN}'), "no JSON"), (reply(deep), "no JSON"), (reply(b"9" * 5000), "no JSON"),
            (reply(b"<html>", "text/html"), "expected application/json"), (reply(b'{"devices":[]}', length=1000), "before its end"), (b"", "no HTTP"), (b"SSH-2.0\r\n", "no HTTP"),
            (b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1000 + b"\r\n", "no HTTP"), (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n", "no HTTP"),
            (reply(b"", status="302 Found\r\nLocation: http://127.0.0.1:1/"), "status 302"), (reply(b"<html>", "text/html", "502 Bad Gateway"), "status 502"),
        ]:
            with self.subTest(said[:120]):
                self.assertEqual(self.expect(BrokenReplyError, said, list_devices, text).code, "protocol_error")
        with ScriptedService(lambda head: [reply(b'{"devices":[],"of_a_newer_service":1}')]) as service:
            self.assertEqual(list(service.client().devices.list()), [])

    def test_what_never_ends(self) -> None:
        """Given heads, bodies, lines and events without end, and a list whose pages have none, then the client stops reading, and has not taken much memory."""
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        before_mib = resident_mib()
        with mock.patch.object(limits, "REPLY_BYTES_MAX", 4 << 20), mock.patch.object(limits, "EVENT_BYTES_MAX", 4 << 20):
            self.expect(BrokenReplyError, endless(b"HTTP/1.1 200 OK\r\na: "), list_devices, "no HTTP")
            self.expect(BrokenReplyError, endless(head), list_devices, "more than 4 MiB")
            self.expect(BrokenReplyError, endless(stream(ACCEPTED)), tune, "a line of more than 4 MiB")
            self.expect(BrokenReplyError, endless(stream(ACCEPTED, b": ")), tune, "a line of more than 4 MiB")
            self.expect(BrokenReplyError, endless(stream(ACCEPTED), b"data: " + b"x" * 1000 + b"\n"), tune, "an event of the service has more than 4 MiB")
            self.expect(BrokenReplyError, reply(b'{"lines":[],"left_out":0,"next":{"row":1,"attempt":0}}'), list_records, "has no end")
        self.assertLess(resident_mib() - before_mib, 64)

    def test_streams_that_break(self) -> None:
        """Given a job's stream that ends before the job, that says what is no event of it, or outputs that do not fit, then that is an error; a stream that is right gives the result."""
        for said, text in [
            (stream(), "did not say which job"), (stream(DONE), "did not say which job"), (stream(ACCEPTED), "before the job's end"), (stream(ACCEPTED, DONE[:-1]), "before the job's end"),
            (stream(ACCEPTED, event("job_done", '{"job":"tune-1"}')), "job_done.result is missing"), (stream(ACCEPTED, event("job_done", '{"job":"tune-1","result":[]}')), "no object"),
            (stream(ACCEPTED, event("job_progress", "{")), "no JSON"), (stream(ACCEPTED, b"event: job_progress\ndata: \xff\n\n"), "no JSON"),
            (stream(ACCEPTED, event("job_progress", '{"job":"tune-1","phase":"x"}')), "job_progress.task is missing"),
            (stream(ACCEPTED, output_piece(0, "AAAA"), output_piece(4, "AAAA")), "begins at 4, expected 3"), (stream(ACCEPTED, output_piece(0, "?")), "no base64"), (reply(b"{}"), "expected text/event-stream"),
        ]:
            with self.subTest(said[-80:]):
                self.expect(BrokenReplyError, said, tune, text)
        with ScriptedService(lambda head: [stream(b": \n\n", ACCEPTED, event("of_a_newer_service", "?"), b"retry: 5\r\n\r\n", DONE)]) as service:
            with service.client().jobs.start(TUNE) as job:
                self.assertEqual(job.wait(), {"cancelled": False})

    def test_pieces(self) -> None:
        """Given a stream whose bytes come one by one, with both ends of lines, comments and data in several lines, then its events are the same."""
        progress = b": a comment\r\n\r\nevent:job_progress\ndata: " + PROGRESS.replace(b",", b",\ndata:", 1) + b"\n\n"
        said = progress + DONE.replace(b"\n", b"\r\n")
        with ScriptedService(lambda head: (bytes([byte]) for byte in stream(ACCEPTED, said))) as service, service.client().jobs.start(TUNE) as job:
            self.assertEqual([(one.phase, one.trials_done, one.naive_us) for one in job], [("of_a_newer_service", 3, None)])

    def test_refusals(self) -> None:
        """Given refusals before a stream and in it, and a job that fails, then each has its code and message."""
        said = self.expect(RefusedError, reply(b'{"code":"unauthorized","message":"the token is wrong"}', status="401 Unauthorized"), tune, "the token is wrong")
        self.assertEqual((said.code, getattr(said, "status")), ("unauthorized", 401))
        self.assertEqual(self.expect(RefusedError, stream(ACCEPTED, event("error", '{"code":"busy","message":"it stops"}')), tune, "it stops").code, "busy")
        failed = self.expect(JobError, stream(ACCEPTED, event("job_failed", '{"job":"tune-1","code":"no_device","message":"none came"}')), tune, "none came")
        self.assertEqual((failed.code, getattr(failed, "job")), ("no_device", "tune-1"))

    def test_outputs_that_do_not_fit(self) -> None:
        """Given a run whose result describes other outputs than came, then they are refused."""
        for outputs in ['[{"name":"y","dtype":"f32","shape":[2]}]', '[{"name":"y","dtype":"f32","shape":[-1]}]', '[{"name":"y","dtype":"?","shape":[1]}]', "[3]", "3", '[{"name":"y","dtype":"f32","shape":["a"]}]']:
            with self.subTest(outputs), ScriptedService(lambda head: [stream(ACCEPTED, event("job_done", f'{{"job":"run-1","result":{{"outputs":{outputs}}}}}'))]) as service:
                with service.client().jobs.start(TUNE) as job:
                    job.wait()
                    self.assertRaises(BrokenReplyError, job.outputs)

    def test_silence(self) -> None:
        """Given a service that says nothing, one whose bytes come so slowly that each read has some, and a stream that falls silent, then the client waits no longer than it was told."""

        def drip() -> Iterator[bytes]:
            for byte in reply(b'{"devices":[]}') * 100:
                time.sleep(0.02)
                yield bytes([byte])

        def silent(first: bytes) -> Iterator[bytes]:
            yield first
            service.wait_for_end()

        for said, ask in [(silent(b""), list_devices), (silent(b"HTTP/1.1 200 OK\r\n"), list_devices), (drip(), list_devices), (silent(stream(ACCEPTED)), tune)]:
            with ScriptedService(lambda head: said) as service:
                began = time.monotonic()
                with self.assertRaises(TimedOutError) as raised:
                    ask(service.client(reply_time_s=0.5, quiet_time_s=0.5))
                self.assertEqual(raised.exception.code, "timeout")
                self.assertLess(time.monotonic() - began, 5)

    def test_a_refusal_before_the_body_is_read(self) -> None:
        """Given a service that refuses by the head alone, when a model is sent that no socket's buffers hold, then the refusal is heard, or at least that the connection ended."""
        refusal = reply(b'{"code":"unauthorized","message":"no"}', status="401 Unauthorized")
        with ScriptedService(lambda head: [refusal]) as service:
            with self.assertRaises((RefusedError, UnreachableError)):
                service.client().jobs.detach(Tune(Model(PIECE * 64, "m.onnx"), target="native"))

    def test_nobody_there(self) -> None:
        """Given a port that nobody listens on, then the error says so."""
        with ScriptedService(lambda head: []) as service:
            client = service.client()
        with self.assertRaises(UnreachableError) as raised:
            list_devices(client)
        self.assertEqual(raised.exception.code, "io_error")

    def test_the_token_travels_in_a_header_alone(self) -> None:
        """Given a client with a token, when it asks, then the token stands in Authorization, once, and neither in the target nor in what the client prints of itself."""
        with ScriptedService(lambda head: [reply(b'{"devices":[]}')]) as service:
            client = service.client()
            list_devices(client)
        self.assertEqual(service.heads[0].count(TOKEN.encode()), 1)
        self.assertIn(f"Authorization: Bearer {TOKEN}\r\n".encode(), service.heads[0])
        self.assertNotIn(TOKEN, f"{client!r} {vars(client)} {client._service._access!r}")


if __name__ == "__main__":
    unittest.main()
