-- Who is let in, and as what. Of each token the hash alone is kept, so that nobody who reads this file gets in.

CREATE TABLE fleet_tokens (
  token_id TEXT PRIMARY KEY,               -- public; 'service' is the one of the URL that hone up prints
  token_hash TEXT NOT NULL UNIQUE,         -- SHA-256 of the token (128 random bits, so without salt), 64 hexadecimal digits
  role TEXT NOT NULL CHECK (role IN ('agent', 'submitter', 'admin')),
  name TEXT NOT NULL,                      -- of a submitter or an admin the user that fairness counts; '' = nobody gave it one
  created_unix_ms INTEGER NOT NULL,
  expires_unix_ms INTEGER NOT NULL,        -- 0 = never
  revoked_unix_ms INTEGER NOT NULL,        -- 0 = it was not
  used_unix_ms INTEGER NOT NULL,           -- when it was last shown, to the hour; 0 = never
  idle_ms_max INTEGER NOT NULL             -- each use moves expires_unix_ms so far into the future; 0 = it stays
) STRICT;
