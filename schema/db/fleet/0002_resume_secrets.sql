-- An agent's id is public; what lets it come back is a secret, of which only the hash is kept. Agents of before have none, and enrol anew.
-- A launch id lets an agent come back as well, so of it, too, the hash alone is kept.

ALTER TABLE fleet_agents ADD COLUMN resume_hash TEXT NOT NULL DEFAULT '';  -- SHA-256, 64 hexadecimal digits; '' = nobody may resume
ALTER TABLE fleet_agents RENAME COLUMN launch_id TO launch_hash;           -- SHA-256 of it; '' when a person opened the page
UPDATE fleet_agents SET launch_hash = '';
