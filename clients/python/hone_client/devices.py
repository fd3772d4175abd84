"""Devices: the fleet, and what an admin does with one."""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from hone_client.generated import operations
from hone_client.generated.messages import DeviceAction, DeviceInfo, DeviceShown
from hone_client.service import Service, pages


class Devices:
    def __init__(self, service: Service) -> None:
        self._service = service

    def list(self) -> Iterator[DeviceInfo]:
        """Those that are gone, too: `state` says so."""

        def fetch(after: str | None) -> tuple[Sequence[DeviceInfo], str | None]:
            page = self._service.ask(operations.LIST_DEVICES, {"after": after})
            return page.devices, page.devices[-1].device_id if page.more and page.devices else None

        return pages(fetch)

    def get(self, device_id: str) -> DeviceShown:
        """With what happened to it."""
        return self._service.ask(operations.SHOW_DEVICE, {"device_id": device_id})

    def label(self, device_id: str, label: str) -> None:
        """Gives it a name; an empty one takes it away."""
        self._service.ask(operations.LABEL_DEVICE, {"device_id": device_id, "label": label})

    def drain(self, device_id: str, reason: str = "") -> None:
        """Lets it end its job, and gives it no other."""
        self._manage(device_id, "drain", reason)

    def quarantine(self, device_id: str, reason: str = "") -> None:
        """Ends its job, and gives it no other."""
        self._manage(device_id, "quarantine", reason)

    def resume(self, device_id: str) -> None:
        self._manage(device_id, "resume", "")

    def forget(self, device_id: str) -> None:
        """One that is gone."""
        self._manage(device_id, "forget", "")

    def _manage(self, device_id: str, action: DeviceAction, reason: str) -> None:
        self._service.ask(operations.MANAGE_DEVICE, {"device_id": device_id, "action": action, "reason": reason})
