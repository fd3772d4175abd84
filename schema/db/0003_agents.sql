-- Who measured an attempt, so that what one agent said can be set against the others', and forgotten.

ALTER TABLE attempts ADD COLUMN agent TEXT NOT NULL DEFAULT '';  -- its public id; import:<file> of an imported line; '' = unknown
