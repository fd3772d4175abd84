-- What the holder of a token may have at once; 0 = as much as there is.

ALTER TABLE fleet_tokens ADD COLUMN devices_max INTEGER NOT NULL DEFAULT 0;  -- leased to the jobs of its user
ALTER TABLE fleet_tokens ADD COLUMN jobs_max INTEGER NOT NULL DEFAULT 0;     -- of its user, that have not ended
ALTER TABLE fleet_tokens ADD COLUMN bytes_max INTEGER NOT NULL DEFAULT 0;    -- bytes of these jobs' payloads, together
