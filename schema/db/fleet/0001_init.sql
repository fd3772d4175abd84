-- The tracker's state. Numbered, forward only: a change is a new file, never an edit of this one.
-- Component "fleet" of the table schema_version; may share its file with the records.

CREATE TABLE fleet_agents (                -- who ever connected
  agent_id TEXT PRIMARY KEY,               -- random; whoever knows it may resume as this agent
  agent_name TEXT NOT NULL,                -- for people
  launch_id TEXT NOT NULL,                 -- of the launcher's latest start; '' when a person opened the page
  created_unix_ms INTEGER NOT NULL,
  seen_unix_ms INTEGER NOT NULL            -- latest hello
) STRICT;

CREATE TABLE fleet_devices (               -- what they brought
  device_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES fleet_agents,
  local_id TEXT NOT NULL,                  -- the agent's own name of it
  device_key TEXT NOT NULL,                -- hash of the fingerprint's stable part, 32 hexadecimal digits
  fingerprint_json TEXT NOT NULL,          -- one JSON object
  timer_json TEXT NOT NULL,                -- one JSON object
  fence INTEGER NOT NULL,                  -- of its latest lease; grows by one with each grant
  created_unix_ms INTEGER NOT NULL,
  seen_unix_ms INTEGER NOT NULL,           -- latest hello that offered it
  UNIQUE (agent_id, local_id)
) STRICT;

CREATE TABLE fleet_leases (                -- who used them
  lease_id TEXT PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES fleet_devices,
  fence INTEGER NOT NULL,
  job TEXT NOT NULL,
  user TEXT NOT NULL,
  granted_unix_ms INTEGER NOT NULL,
  ended_unix_ms INTEGER NOT NULL,          -- 0 while it lives
  end_reason TEXT NOT NULL,                -- one sentence; '' while it lives
  UNIQUE (device_id, fence)
) STRICT;

CREATE INDEX fleet_leases_open ON fleet_leases (ended_unix_ms) WHERE ended_unix_ms = 0;
