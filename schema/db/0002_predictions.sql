-- What a search's model expected of a trial, and what it saw of it.

ALTER TABLE attempts ADD COLUMN predicted_us REAL NOT NULL DEFAULT 0;      -- microseconds, before it was measured; 0 = nothing
ALTER TABLE trials ADD COLUMN features BLOB;                               -- f32, little-endian, of tuner/features; NULL = unknown
ALTER TABLE trials ADD COLUMN feature_version INTEGER NOT NULL DEFAULT 0;  -- of `features`; 0 = unknown

CREATE INDEX trials_with_features ON trials (feature_version, task_id, device_key) WHERE features IS NOT NULL;
