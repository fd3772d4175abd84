-- Under which lease an attempt was measured, who vouches for the agent that measured it, and what was found out about both.

ALTER TABLE attempts ADD COLUMN lease TEXT;                           -- its id; NULL = unknown
ALTER TABLE attempts ADD COLUMN enrolment TEXT;                       -- the id of the token that the agent had shown; NULL = unknown
ALTER TABLE attempts ADD COLUMN trusted INTEGER NOT NULL DEFAULT 0;   -- 1 = that token was a canary's
ALTER TABLE attempts ADD COLUMN doubted INTEGER NOT NULL DEFAULT 0;   -- 1 = its device was found to be biased

CREATE INDEX attempts_that_check ON attempts (trial) WHERE origin = 'check';
