-- The newest lease of each device that may be measured under. A record that names a lease is stored only where it is this one.

CREATE TABLE device_fences (
  device_id TEXT PRIMARY KEY,
  lease_id TEXT NOT NULL,                  -- '' when it has ended
  fence INTEGER NOT NULL,                  -- never smaller than before
  changed_unix_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX device_fences_lease ON device_fences (lease_id);
CREATE INDEX device_fences_ended ON device_fences (changed_unix_ms) WHERE lease_id = '';
