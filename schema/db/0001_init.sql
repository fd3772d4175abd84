-- Records of the compile server. Numbered, forward only: a change is a new file, never an edit of this one.
-- Units stand in a column's name or in its comment. Hashes are 32 lower-case hexadecimal digits.

CREATE TABLE tasks (                       -- what is tuned
  task_id TEXT PRIMARY KEY,                -- hash of structure, extents, types, roles and layouts
  name TEXT NOT NULL,                      -- for people
  canonical_text TEXT NOT NULL,            -- everything that the hash covers
  flops REAL NOT NULL,                     -- floating-point operations of one run; 2 per multiply-accumulate
  created_unix_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE devices (                     -- classes of equal devices
  device_key TEXT PRIMARY KEY,             -- hash of the fingerprint's stable part
  target TEXT NOT NULL,                    -- webgpu | webgl | wasm | native | opengl | opencl
  created_unix_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE fingerprints (                -- what a device said of itself; several per key, since unstable parts change
  fingerprint INTEGER PRIMARY KEY,         -- row number
  device_key TEXT NOT NULL REFERENCES devices,
  json TEXT NOT NULL,                      -- one JSON object
  UNIQUE (device_key, json)
) STRICT;

CREATE TABLE jobs (                        -- what a person started
  job_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,                      -- tune | bench | run | verify
  state TEXT NOT NULL,                     -- running | done | failed | cancelled
  device_key TEXT NOT NULL,                -- '' until a device is leased
  request_json TEXT NOT NULL,              -- one JSON object
  message TEXT NOT NULL,                   -- why it failed, one sentence
  started_unix_ms INTEGER NOT NULL,
  ended_unix_ms INTEGER NOT NULL           -- 0 while it runs
) STRICT;

CREATE TABLE trials (                      -- one candidate on one class of devices
  trial INTEGER PRIMARY KEY,               -- row number
  task_id TEXT NOT NULL REFERENCES tasks,
  device_key TEXT NOT NULL REFERENCES devices,
  source_hash TEXT NOT NULL,               -- of the emitted code and its dimensions
  trace_json TEXT NOT NULL,                -- the schedule that first gave this source
  UNIQUE (task_id, device_key, source_hash)
) STRICT;

CREATE TABLE attempts (                    -- one try at a trial
  trial INTEGER NOT NULL REFERENCES trials,
  attempt INTEGER NOT NULL,                -- from 0
  job_id TEXT NOT NULL,                    -- '' for imported records
  origin TEXT NOT NULL,                    -- naive | seed | search | recheck: why it was measured
  outcome TEXT NOT NULL,                   -- a name of schema/errors.json
  message TEXT NOT NULL,                   -- the driver's words on failure
  samples_us TEXT NOT NULL,                -- JSON array, microseconds of one kernel per sample, in order of taking
  latency_us_median REAL NOT NULL,         -- microseconds; 0 where there is no time
  method TEXT NOT NULL,                    -- timestamp | slope
  clock_resolution_ns REAL NOT NULL,       -- nanoseconds
  repeats INTEGER NOT NULL,                -- kernels per sample
  create_ms REAL NOT NULL,                 -- milliseconds of pipeline creation with the first dispatch
  device_ms REAL NOT NULL,                 -- milliseconds of all device work, creation included
  max_error REAL NOT NULL,                 -- max|y - r| / max|r|
  reference_us REAL NOT NULL,              -- microseconds of the interleaved reference kernel
  fingerprint INTEGER NOT NULL REFERENCES fingerprints,
  compiler_version TEXT NOT NULL,          -- of hone
  feature_version INTEGER NOT NULL,        -- kFeatureVersion; 0 before features exist
  fence INTEGER NOT NULL,                  -- of the lease; grows with each grant; 0 without a lease
  recorded_unix_ms INTEGER NOT NULL,
  PRIMARY KEY (trial, attempt)
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_by_job ON attempts (job_id);
