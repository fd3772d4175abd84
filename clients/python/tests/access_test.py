"""Where the service is, and which token is shown."""
from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from hone_client import HoneError
from hone_client.access import find_access, find_token

FIRST, SECOND, THIRD = ("0" * 32, "1" * 32, "2" * 32)


class AccessTest(unittest.TestCase):
    def test_which_token(self) -> None:
        """Given a token as argument, in a file and in the environment, then the argument counts, else the file, else the environment; without any, the error says how to give one."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"HONE_TOKEN": THIRD}):
            file = Path(folder, "token")
            file.write_text(f"{SECOND}\n")
            self.assertEqual(find_token(FIRST, file), FIRST)
            self.assertEqual(find_token(None, file), SECOND)
            self.assertEqual(find_token(None, None), THIRD)
            file.write_text("no token\n")
            for wrong in (file, Path(folder, "none"), Path(folder)):
                with self.subTest(wrong), self.assertRaises(HoneError):
                    find_token(None, wrong)
        with mock.patch.dict(os.environ, clear=True), self.assertRaises(HoneError) as raised:
            find_token(None, None)
        self.assertEqual(raised.exception.code, "unauthorized")

    def test_a_wrong_token_is_not_repeated(self) -> None:
        """Given what is no token, then the error does not say it: it may be one with a digit too many."""
        with self.assertRaises(HoneError) as raised:
            find_token(FIRST + "a", None)
        self.assertNotIn(FIRST, str(raised.exception))

    def test_which_service(self) -> None:
        """Given URLs of services, then host, port and scheme are theirs; given others, they are refused, and a token in one is not repeated."""
        for url, origin in [("http://127.0.0.1:9190", "http://127.0.0.1:9190"), ("http://127.0.0.1:9190/agent/", "http://127.0.0.1:9190"), ("https://lab.example/", "https://lab.example:443")]:
            self.assertEqual(find_access(url, FIRST, None, None).origin, origin)
        wrong = ["", "lab.example", "ftp://lab", "http://", "http://lab:99999", "http://lab:a", "http://[::1", "http://lab/other", f"http://lab/agent/#token={SECOND}", f"http://lab/?token={SECOND}",
                 f"http://user:{SECOND}@lab/"]
        for url in wrong:
            with self.subTest(url), self.assertRaises(HoneError) as raised:
                find_access(url, FIRST, None, None)
            self.assertEqual(raised.exception.code, "invalid_argument")
            self.assertNotIn(SECOND, str(raised.exception))

    def test_authorities(self) -> None:
        """Given a file that is no authority, or one for a service without TLS, then that is an error."""
        with self.assertRaises(HoneError) as raised:
            find_access("https://lab", FIRST, None, __file__)
        self.assertEqual(raised.exception.code, "bad_certificate")
        with self.assertRaises(HoneError):
            find_access("http://lab", FIRST, None, __file__)


if __name__ == "__main__":
    unittest.main()
