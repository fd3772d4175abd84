-- A token may also be a compile server's.

CREATE TABLE fleet_tokens_with_servers (
  token_id TEXT PRIMARY KEY,               -- public; 'service' is the one of the URL that hone up or hone tracker prints
  token_hash TEXT NOT NULL UNIQUE,         -- SHA-256 of the token (128 random bits, so without salt), 64 hexadecimal digits
  role TEXT NOT NULL CHECK (role IN ('agent', 'submitter', 'admin', 'server')),
  name TEXT NOT NULL,                      -- of a submitter or an admin the user that fairness counts; '' = nobody gave it one
  created_unix_ms INTEGER NOT NULL,
  expires_unix_ms INTEGER NOT NULL,        -- 0 = never
  revoked_unix_ms INTEGER NOT NULL,        -- 0 = it was not
  used_unix_ms INTEGER NOT NULL,           -- when it was last shown, to the hour; 0 = never
  idle_ms_max INTEGER NOT NULL,            -- each use moves expires_unix_ms so far into the future; 0 = it stays
  devices_max INTEGER NOT NULL DEFAULT 0,  -- leased to the jobs of its user; 0 = as many as there are, as of what follows
  jobs_max INTEGER NOT NULL DEFAULT 0,     -- of its user, that have not ended
  bytes_max INTEGER NOT NULL DEFAULT 0     -- bytes of these jobs' payloads, together
) STRICT;

INSERT INTO fleet_tokens_with_servers
  SELECT token_id, token_hash, role, name, created_unix_ms, expires_unix_ms, revoked_unix_ms, used_unix_ms, idle_ms_max, devices_max, jobs_max, bytes_max
  FROM fleet_tokens;
DROP TABLE fleet_tokens;
ALTER TABLE fleet_tokens_with_servers RENAME TO fleet_tokens;
