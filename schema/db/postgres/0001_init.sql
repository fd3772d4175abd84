-- Records and jobs of compile servers in PostgreSQL: the tables of ../0001_init.sql to ../0009_servers.sql, whose comments say what is in them. Numbered, forward only: a change is a
-- new file, never an edit of this one. Component "records" of the table schema_version.

CREATE TABLE tasks (
  rowid BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,  -- SQLite has it by itself
  task_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  canonical_text TEXT NOT NULL,
  flops DOUBLE PRECISION NOT NULL,
  created_unix_ms BIGINT NOT NULL
);

CREATE TABLE devices (
  device_key TEXT PRIMARY KEY,
  target TEXT NOT NULL,
  created_unix_ms BIGINT NOT NULL
);

CREATE TABLE fingerprints (
  fingerprint BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  device_key TEXT NOT NULL REFERENCES devices,
  json TEXT NOT NULL,
  browser_major BIGINT,
  driver TEXT
);
-- A B-tree takes no text so long. Whoever makes two texts of one sum loses records of his own.
CREATE UNIQUE INDEX fingerprints_once ON fingerprints (device_key, md5(json));
CREATE INDEX fingerprints_json ON fingerprints USING hash (json);

CREATE TABLE jobs (
  job_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  device_key TEXT NOT NULL,
  request_json TEXT NOT NULL,
  message TEXT NOT NULL,
  started_unix_ms BIGINT NOT NULL,
  ended_unix_ms BIGINT NOT NULL,
  server TEXT NOT NULL                     -- the name of the server whose job it is
);

CREATE TABLE trials (
  trial BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id TEXT NOT NULL REFERENCES tasks,
  device_key TEXT NOT NULL REFERENCES devices,
  source_hash TEXT NOT NULL,
  trace_json TEXT NOT NULL,
  features BYTEA,
  feature_version BIGINT NOT NULL,
  UNIQUE (task_id, device_key, source_hash)
);
CREATE INDEX trials_with_features ON trials (feature_version, task_id, device_key) WHERE features IS NOT NULL;

CREATE TABLE attempts (
  trial BIGINT NOT NULL REFERENCES trials,
  attempt BIGINT NOT NULL,
  job_id TEXT NOT NULL,
  origin TEXT NOT NULL,
  outcome TEXT NOT NULL,
  message TEXT NOT NULL,
  samples_us TEXT NOT NULL,
  latency_us_median DOUBLE PRECISION NOT NULL,
  method TEXT NOT NULL,
  clock_resolution_ns DOUBLE PRECISION NOT NULL,
  repeats BIGINT NOT NULL,
  create_ms DOUBLE PRECISION NOT NULL,
  device_ms DOUBLE PRECISION NOT NULL,
  max_error DOUBLE PRECISION NOT NULL,
  reference_us DOUBLE PRECISION NOT NULL,
  fingerprint BIGINT NOT NULL REFERENCES fingerprints,
  compiler_version TEXT NOT NULL,
  feature_version BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  recorded_unix_ms BIGINT NOT NULL,
  predicted_us DOUBLE PRECISION NOT NULL,
  agent TEXT NOT NULL,
  device TEXT NOT NULL,
  cache TEXT NOT NULL,
  other_us DOUBLE PRECISION NOT NULL,
  lease TEXT,
  enrolment TEXT,
  trusted BIGINT NOT NULL,
  doubted BIGINT NOT NULL,
  PRIMARY KEY (trial, attempt)
);
CREATE INDEX attempts_by_job ON attempts (job_id);
CREATE INDEX attempts_that_check ON attempts (trial) WHERE origin = 'check';

CREATE TABLE device_labels (
  device TEXT PRIMARY KEY,
  label TEXT NOT NULL
);

CREATE TABLE device_fences (
  device_id TEXT PRIMARY KEY,
  lease_id TEXT NOT NULL,
  fence BIGINT NOT NULL,
  changed_unix_ms BIGINT NOT NULL
);
CREATE INDEX device_fences_lease ON device_fences (lease_id);
CREATE INDEX device_fences_ended ON device_fences (changed_unix_ms) WHERE lease_id = '';

CREATE TABLE submissions (
  job_id TEXT PRIMARY KEY,
  place BIGINT NOT NULL,
  "user" TEXT NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  priority BIGINT NOT NULL,
  detached BIGINT NOT NULL,
  request_json TEXT NOT NULL,
  model_sha256 TEXT NOT NULL,
  state TEXT NOT NULL,
  outcome TEXT NOT NULL,
  message TEXT NOT NULL,
  result_json TEXT NOT NULL,
  starts BIGINT NOT NULL,
  spent_s DOUBLE PRECISION NOT NULL,
  submitted_unix_ms BIGINT NOT NULL,
  started_unix_ms BIGINT NOT NULL,
  ended_unix_ms BIGINT NOT NULL,
  payload_bytes BIGINT NOT NULL,
  user_devices_max BIGINT NOT NULL,
  server TEXT NOT NULL,                    -- the name of the server whose job it is
  UNIQUE (server, place)
);
CREATE INDEX submissions_user ON submissions (server, "user", place);
CREATE INDEX submissions_ended ON submissions (server, ended_unix_ms);
