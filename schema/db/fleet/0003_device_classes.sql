-- One device keeps its identity over agents, and devices that say the same of themselves may be of different speed.

ALTER TABLE fleet_devices ADD COLUMN physical_id TEXT NOT NULL DEFAULT '';  -- the id that its agent keeps; '' = unknown
ALTER TABLE fleet_devices ADD COLUMN label TEXT NOT NULL DEFAULT '';        -- what people call it

CREATE TABLE fleet_classes (               -- classes of equal devices
  device_key TEXT PRIMARY KEY,             -- 32 hexadecimal digits
  said_key TEXT NOT NULL,                  -- the key of what its devices say of themselves; of the first class of these, its own
  arithmetic_gflops REAL NOT NULL,         -- of the device that founded it, as measured; 0 = not measured
  memory_gb_s REAL NOT NULL                -- likewise
) STRICT;

CREATE TABLE fleet_members (               -- which class a device was found to be of: it stays there, however slow it is today
  physical_id TEXT NOT NULL,
  said_key TEXT NOT NULL,                  -- of what it says of itself: a device may bring several targets
  device_key TEXT NOT NULL,
  PRIMARY KEY (physical_id, said_key)
) STRICT;
