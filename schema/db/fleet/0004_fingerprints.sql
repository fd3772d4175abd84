-- Devices of one kind say the same 8 KiB of themselves: each such text is kept once.

CREATE TABLE fleet_fingerprints (
  fingerprint_id INTEGER PRIMARY KEY,
  json TEXT NOT NULL UNIQUE                -- one JSON object
) STRICT;

INSERT INTO fleet_fingerprints (json) SELECT DISTINCT fingerprint_json FROM fleet_devices;

ALTER TABLE fleet_devices ADD COLUMN fingerprint_id INTEGER NOT NULL DEFAULT 0;  -- of fleet_fingerprints
UPDATE fleet_devices SET fingerprint_id =
  (SELECT fingerprint_id FROM fleet_fingerprints WHERE json = fingerprint_json);
ALTER TABLE fleet_devices DROP COLUMN fingerprint_json;
CREATE INDEX fleet_devices_fingerprint ON fleet_devices (fingerprint_id);
