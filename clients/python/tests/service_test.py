"""The client against the real service with a native device. Needs HONE_BINARY and HONE_AGENT_DIR; skipped without."""
from __future__ import annotations

import os
import struct
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from hone_client import Bench, BrokenReplyError, Client, DeviceChanged, HoneError, Input, JobChanged, JobError, JobProgress, Model, Operator, RefusedError, Run, Tune, UnreachableError
from running_service import RunningService

SKIP = "" if "HONE_BINARY" in os.environ else "HONE_BINARY does not name the program"
ROOT = Path(__file__).resolve().parents[3]


@unittest.skipIf(SKIP, SKIP)
class ServiceTest(unittest.TestCase):
    service: RunningService
    client: Client
    model: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = RunningService()
        cls.addClassCleanup(cls.service.close)
        cls.service.start_agent()
        cls.client = cls.service.client()
        cls.model = cls.service.folder / "encoder.onnx"
        subprocess.run([ROOT / "scripts/gen_model", "encoder", "--size", "16", "--out", cls.model], check=True, timeout=60)

    def test_devices(self) -> None:
        """Given a device, when it is named, drained and resumed, then the list and its history say so; a device that is not there is refused by its code."""
        device = next(self.client.devices.list())
        self.assertEqual((device.kind, device.state, device.fingerprint.target), ("native", "ready", "native"))
        self.client.devices.label(device.device_id, "desk")
        self.client.devices.drain(device.device_id, "a test")
        drained = self.client.devices.get(device.device_id)
        self.assertEqual((drained.device.label, drained.device.service_state, drained.device.service_reason), ("desk", "maintenance", "a test"))
        self.client.devices.quarantine(device.device_id)
        self.client.devices.resume(device.device_id)
        self.assertEqual([event.kind for event in self.client.devices.get(device.device_id).events][-4:], ["labelled", "drained", "quarantined", "resumed"])
        with self.assertRaises(RefusedError) as raised:
            self.client.devices.forget("none")
        self.assertEqual((raised.exception.code, raised.exception.status), ("not_found", 404))

    def test_a_tune_with_its_progress_events_and_records(self) -> None:
        """Given a listener, when an operator is tuned, then its progress comes as it goes, the fleet's events tell of the device and the job, and the records are a frame with a time each."""
        with self.client.events() as events, self.client.jobs.start(Tune(Operator("matmul:48x40x56"), target="native", trials=6)) as job:
            told = list(job)
            self.assertTrue(all(isinstance(one, JobProgress) and one.job == job.id for one in told))
            self.assertEqual(told[-1].trials_done, 6)
            self.assertGreater(job.result["tasks"][0]["best_ms"], 0)
            kinds = set()
            for event in events:
                if isinstance(event, DeviceChanged):
                    kinds.add(event.event.kind)
                elif isinstance(event, JobChanged) and event.job.job == job.id and event.job.state == "done":
                    break
        self.assertIn("leased", kinds)
        lines = list(self.client.records.list(job=job.id))
        frame = self.client.records.frame(job=job.id)
        self.assertEqual(len(frame), len(lines))
        tried = frame[frame["origin"].isin(["seed", "search"]) & (frame["outcome"] == "ok")]
        self.assertGreaterEqual(len(tried), 1)
        self.assertTrue((tried["latency_us_median"] > 0).all())
        self.assertEqual(set(frame["standing"]), {"unconfirmed"})
        self.assertTrue(frame["recorded"].is_monotonic_increasing)
        self.assertIn("matmul 48x40x56", set(self.client.records.frame("tasks")["task_name"]))
        self.assertEqual(list(self.client.records.frame(job="none").columns[:2]), ["version", "task"])
        self.assertEqual(self.client.jobs.get(job.id).result, job.result)

    def test_a_detached_job(self) -> None:
        """Given a search that is left with the service, when it is listed, followed and cancelled, then each shows it, and who follows hears its end; the end is told again to whoever comes later."""
        job = self.client.jobs.detach(Tune(Operator("matmul:64x64x64"), target="native", trials=50_000))
        self.assertTrue(next(one for one in self.client.jobs.list() if one.job == job).detached)
        with self.client.jobs.follow(job) as followed:
            next(progress for progress in followed if progress.phase == "measuring" and progress.trials_done)
            self.client.jobs.cancel(job)
            self.assertTrue(followed.wait()["cancelled"])
        with self.client.jobs.follow(job) as again:
            self.assertTrue(again.wait()["cancelled"])

    def test_an_attached_job_ends_with_its_connection(self) -> None:
        """Given a search in work, when its `with` ends, then the service ends it."""
        with self.client.events() as events:
            with self.client.jobs.start(Tune(Operator("matmul:80x80x80"), target="native", trials=50_000)) as job:
                next(progress for progress in job if progress.phase == "measuring")
            state = next(event.job.state for event in events if isinstance(event, JobChanged) and event.job.job == job.id and event.job.state not in ("queued", "running"))
        self.assertIn(state, ("cancelled", "done"))

    def test_a_model_is_run_and_timed(self) -> None:
        """Given a model and one input, when it is run, then its outputs come and are the reference's; when it is timed, then each schedule has a time."""
        data = struct.pack("<2048f", *[0.5] * 2048)
        with self.client.jobs.start(Run(Model(self.model), target="native", schedule="naive", check=True)) as run:
            self.assertLess(run.wait()["check"]["max_error"], 1e-4)
            output = run.outputs()[0]
        self.assertEqual((output.dtype, output.numpy_dtype, len(output.data)), ("f32", "float32", 4 * 16 * 128))
        with self.assertRaises(JobError) as raised, self.client.jobs.start(Run(Model(self.model), target="native", inputs=[Input("none", "float32", (16, 128), data)])) as wrong:
            wrong.wait()
        self.assertEqual(raised.exception.code, "invalid_argument")
        with self.client.jobs.start(Bench(Model(self.model), target="native", repeats=3, schedules=["seed", "naive"])) as bench:
            self.assertEqual([one["schedule"] for one in bench.wait()["variants"]], ["seed", "naive"])

    def test_errors_have_codes(self) -> None:
        """Given a wrong token, a model that is none, an operator that is none, and no device, then each error has hone's code."""
        with self.assertRaises(RefusedError) as raised:
            list(Client(self.service.url, token="0" * 32).devices.list())
        self.assertEqual((raised.exception.code, raised.exception.status), ("unauthorized", 401))
        for asked, code in [
            (Tune(Model(b"no model"), target="native"), "bad_model"), (Tune(Operator("nothing:1"), target="native"), "invalid_argument"),
            (Tune(Operator("matmul:8x8x8"), target="webgpu", device_wait_s=0.1), "no_device"),
        ]:
            with self.subTest(code), self.assertRaises(HoneError) as failed, self.client.jobs.start(asked) as job:
                job.wait()
            self.assertEqual(failed.exception.code, code, failed.exception)

    def test_tokens(self) -> None:
        """Given a submitter's token, then it may submit but not drain, until it is revoked."""
        made = self.client.tokens.create("submitter", "ci", lifetime_s=60)
        submitter = Client(self.service.url, token=made.token)
        device = next(submitter.devices.list()).device_id
        self.assertRaises(RefusedError, submitter.devices.drain, device)
        self.client.tokens.revoke(made.info.token_id)
        self.assertRaises(RefusedError, list, submitter.devices.list())
        self.assertTrue(next(token for token in self.client.tokens.list() if token.name == "ci").revoked_unix_ms)
        self.assertRegex(self.client.tokens.enrol("phone").code, "^[0-9a-f]{32}$")

    def test_pandas_is_asked_for_by_frames_alone(self) -> None:
        """Given a Python without pandas, then everything but frames works, and these say what to install."""
        self.assertNotIn("pandas", subprocess.run([sys.executable, "-c", "import sys, hone_client; print(*sys.modules)"], capture_output=True, text=True, check=True, timeout=60).stdout.split())
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaises(HoneError) as raised:
            self.client.records.frame()
        self.assertIn("hone-client[pandas]", raised.exception.message)


@unittest.skipIf(SKIP, SKIP)
class TlsTest(unittest.TestCase):
    def test_an_authority(self) -> None:
        """Given a service with the certificate of its own authority, when a client has that authority's file, then it is let in; without it, it sends nothing and says why."""
        with RunningService("--tls") as service:
            self.assertTrue(service.url.startswith("https://"))
            self.assertEqual(list(Client(service.url, token=service.token, ca_file=service.folder / "tls/ca.crt").devices.list()), [])
            with self.assertRaises(UnreachableError) as raised:
                list(Client(service.url, token=service.token).devices.list())
            self.assertEqual(raised.exception.code, "bad_certificate")
            plain = Client(service.url.replace("https://", "http://"), token=service.token)
            with self.assertRaises((BrokenReplyError, UnreachableError, RefusedError)):
                list(plain.devices.list())


if __name__ == "__main__":
    unittest.main()
