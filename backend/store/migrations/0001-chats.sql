-- Times are microseconds since 1970 in UTC. Messages are numbered from 1 in each chat, without gaps.
CREATE TABLE chats (
  seq        INTEGER PRIMARY KEY,
  id         TEXT    NOT NULL UNIQUE,
  title      TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX chats_by_update ON chats (updated_at DESC, seq DESC);

CREATE TABLE messages (
  id         INTEGER PRIMARY KEY,
  chat       TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  number     INTEGER NOT NULL,
  role       TEXT    NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
  text       TEXT    NOT NULL,
  name       TEXT    NOT NULL DEFAULT '',
  arguments  TEXT    NOT NULL DEFAULT '',
  state      TEXT    NOT NULL CHECK (state IN ('complete', 'stopped', 'failed', 'interrupted')),
  source     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (chat, number)
) STRICT;

CREATE TABLE summaries (
  chat    TEXT    PRIMARY KEY REFERENCES chats (id) ON DELETE CASCADE,
  text    TEXT    NOT NULL,
  through INTEGER NOT NULL
) STRICT;
