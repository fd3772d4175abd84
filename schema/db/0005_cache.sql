-- In which state of the caches an attempt was timed, and what the kernel takes in the other one.

ALTER TABLE attempts ADD COLUMN cache TEXT NOT NULL DEFAULT 'hot';   -- hot | cold | model: of samples_us
ALTER TABLE attempts ADD COLUMN other_us REAL NOT NULL DEFAULT 0;    -- microseconds in the other state: cold where cache is hot, else hot; 0 = not taken
