-- Which device measured an attempt, what it was called, and what changed by itself about it.

ALTER TABLE attempts ADD COLUMN device TEXT NOT NULL DEFAULT '';  -- the one device, by the id that its agent keeps; '' = unknown

CREATE TABLE device_labels (               -- what people call them
  device TEXT PRIMARY KEY,                 -- an id of attempts.device
  label TEXT NOT NULL
) STRICT;

-- Of the fingerprint's JSON, and no part of the class.
ALTER TABLE fingerprints ADD COLUMN browser_major INTEGER;  -- NULL = it says none
ALTER TABLE fingerprints ADD COLUMN driver TEXT;            -- likewise
UPDATE fingerprints SET browser_major = CAST(json_extract(json, '$.browser_major') AS INTEGER),
  driver = CAST(json_extract(json, '$.driver') AS TEXT) WHERE json_valid(json);
