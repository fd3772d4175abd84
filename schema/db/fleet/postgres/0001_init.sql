-- The tracker's state in PostgreSQL: the tables of ../0001_init.sql to ../0008_server_role.sql, whose comments say what is in them. Numbered, forward only: a change is a new file,
-- never an edit of this one. Component "fleet" of the table schema_version.

CREATE TABLE fleet_agents (
  agent_id TEXT PRIMARY KEY,
  agent_name TEXT NOT NULL,
  resume_hash TEXT NOT NULL,
  launch_hash TEXT NOT NULL,
  created_unix_ms BIGINT NOT NULL,
  seen_unix_ms BIGINT NOT NULL
);

CREATE TABLE fleet_fingerprints (
  fingerprint_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  json TEXT NOT NULL,
  EXCLUDE USING hash (json WITH =)         -- unique; a B-tree takes no text so long
);

CREATE TABLE fleet_devices (
  device_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES fleet_agents,
  local_id TEXT NOT NULL,
  device_key TEXT NOT NULL,
  fingerprint_id BIGINT NOT NULL REFERENCES fleet_fingerprints,
  timer_json TEXT NOT NULL,
  fence BIGINT NOT NULL,
  created_unix_ms BIGINT NOT NULL,
  seen_unix_ms BIGINT NOT NULL,
  physical_id TEXT NOT NULL,
  label TEXT NOT NULL,
  hold TEXT NOT NULL CHECK (hold IN ('', 'maintenance', 'quarantined')),
  hold_reason TEXT NOT NULL,
  UNIQUE (agent_id, local_id)
);
CREATE INDEX fleet_devices_fingerprint ON fleet_devices (fingerprint_id);

CREATE TABLE fleet_leases (
  lease_id TEXT PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES fleet_devices,
  fence BIGINT NOT NULL,
  job TEXT NOT NULL,
  "user" TEXT NOT NULL,
  granted_unix_ms BIGINT NOT NULL,
  ended_unix_ms BIGINT NOT NULL,
  end_reason TEXT NOT NULL,
  UNIQUE (device_id, fence)
);
CREATE INDEX fleet_leases_open ON fleet_leases (ended_unix_ms) WHERE ended_unix_ms = 0;

CREATE TABLE fleet_classes (
  device_key TEXT PRIMARY KEY,
  said_key TEXT NOT NULL,
  arithmetic_gflops DOUBLE PRECISION NOT NULL,
  memory_gb_s DOUBLE PRECISION NOT NULL
);

CREATE TABLE fleet_members (
  physical_id TEXT NOT NULL,
  said_key TEXT NOT NULL,
  device_key TEXT NOT NULL,
  PRIMARY KEY (physical_id, said_key)
);

CREATE TABLE fleet_tokens (
  token_id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('agent', 'submitter', 'admin', 'server')),
  name TEXT NOT NULL,
  created_unix_ms BIGINT NOT NULL,
  expires_unix_ms BIGINT NOT NULL,
  revoked_unix_ms BIGINT NOT NULL,
  used_unix_ms BIGINT NOT NULL,
  idle_ms_max BIGINT NOT NULL,
  devices_max BIGINT NOT NULL,
  jobs_max BIGINT NOT NULL,
  bytes_max BIGINT NOT NULL
);

CREATE TABLE fleet_events (
  event_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES fleet_devices,
  unix_ms BIGINT NOT NULL,
  kind TEXT NOT NULL,
  "user" TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX fleet_events_device ON fleet_events (device_id, kind, event_id);
CREATE INDEX fleet_events_age ON fleet_events (unix_ms);

CREATE TABLE fleet_leader (                -- which tracker has the farm; one row
  only_row BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_row),
  epoch BIGINT NOT NULL,                   -- grows by one with each that takes it; what an earlier one writes is refused
  tracker_id TEXT NOT NULL,                -- of one start of a tracker; '' = nobody has it
  until TIMESTAMPTZ NOT NULL               -- by the clock of the database: another one may take it then
);
INSERT INTO fleet_leader (epoch, tracker_id, until) VALUES (0, '', '-infinity');

CREATE TABLE fleet_trackers (              -- that share the farm
  tracker_id TEXT PRIMARY KEY,
  origin TEXT NOT NULL,                    -- where agents reach it, http: or https:
  seen TIMESTAMPTZ NOT NULL                -- its last beat, by the clock of the database
);
