-- What people let a device do, and what happened to it.

ALTER TABLE fleet_devices ADD COLUMN hold TEXT NOT NULL DEFAULT ''
  CHECK (hold IN ('', 'maintenance', 'quarantined'));                       -- '' = in service
ALTER TABLE fleet_devices ADD COLUMN hold_reason TEXT NOT NULL DEFAULT '';  -- as somebody said; '' = nobody did

CREATE TABLE fleet_events (                -- beside fleet_leases; of each kind the latest of a device, and none that is too old
  event_id INTEGER PRIMARY KEY,            -- grows
  device_id TEXT NOT NULL REFERENCES fleet_devices,
  unix_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,                      -- device_event_kind of the protocol
  user TEXT NOT NULL,                      -- who did it; '' = nobody
  text TEXT NOT NULL                       -- the name or the reason; may be ''
) STRICT;

CREATE INDEX fleet_events_device ON fleet_events (device_id, kind, event_id);
CREATE INDEX fleet_events_age ON fleet_events (unix_ms);
