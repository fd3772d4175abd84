-- What was submitted to a service, so that it outlives the service's process: those that are open, and the latest that have ended.

CREATE TABLE submissions (
  job_id TEXT PRIMARY KEY,
  place INTEGER NOT NULL UNIQUE,           -- in the order of submission
  user TEXT NOT NULL,                      -- whose it is
  kind TEXT NOT NULL,                      -- a job_kind of the protocol
  source TEXT NOT NULL,                    -- the operator or the model's name, for people
  target TEXT NOT NULL,
  priority INTEGER NOT NULL,               -- greater is served first
  detached INTEGER NOT NULL,               -- 1: it goes on without its client, and after a restart
  request_json TEXT NOT NULL,              -- one JSON object, of a detached one; else ''
  model_sha256 TEXT NOT NULL,              -- of the model, a file of that name beside the database; '' = none
  state TEXT NOT NULL,                     -- a job_state of the protocol
  outcome TEXT NOT NULL,                   -- a name of schema/errors.json; '' while it is open
  message TEXT NOT NULL,                   -- why, one sentence
  result_json TEXT NOT NULL,               -- one JSON object, of one that is done; '' = none is kept
  starts INTEGER NOT NULL,                 -- how often it was begun and neither ended nor was put back
  spent_s REAL NOT NULL,                   -- seconds of its time limit that are used
  submitted_unix_ms INTEGER NOT NULL,
  started_unix_ms INTEGER NOT NULL,        -- the latest start; 0 = none
  ended_unix_ms INTEGER NOT NULL,          -- 0 while it is open
  payload_bytes INTEGER NOT NULL,          -- of its model and inputs
  user_devices_max INTEGER NOT NULL        -- by the quota of whoever submitted it; 0 = any number
) STRICT;

CREATE INDEX submissions_user ON submissions (user, place);
CREATE INDEX submissions_ended ON submissions (ended_unix_ms);
