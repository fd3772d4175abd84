-- Which server a job belongs to, where several share a database (of PostgreSQL: postgres/); '' in a file, which has one.

ALTER TABLE jobs ADD COLUMN server TEXT NOT NULL DEFAULT '';
ALTER TABLE submissions ADD COLUMN server TEXT NOT NULL DEFAULT '';
