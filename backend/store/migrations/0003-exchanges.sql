-- An exchange is a question that was accepted and whose reply has not ended. What is left of one when the database is opened
-- was cut off by a crash. Its number is that of its question, once its reply has begun.
CREATE TABLE exchanges (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  chat         TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  number       INTEGER,
  question     TEXT    NOT NULL,
  source       TEXT    NOT NULL,
  asked_at     INTEGER NOT NULL,
  answer       TEXT    NOT NULL DEFAULT '',
  tools        TEXT    NOT NULL DEFAULT '[]',
  journaled_at INTEGER NOT NULL
) STRICT;

CREATE INDEX exchanges_by_chat ON exchanges (chat);

-- made: the chat was made for a question, and goes with it if that is withdrawn. titled_by: the exchange whose question gave
-- the title; 0 where a person did.
ALTER TABLE chats ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chats ADD COLUMN titled_by INTEGER NOT NULL DEFAULT 0;

-- Why an answer failed.
ALTER TABLE messages ADD COLUMN code TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN reason TEXT NOT NULL DEFAULT '';

-- Idempotency keys, kept for ten minutes. They outlive their chat, so that nothing recreates it.
CREATE TABLE keys (
  key      TEXT    PRIMARY KEY,
  digest   TEXT    NOT NULL,
  chat     TEXT    NOT NULL,
  exchange INTEGER NOT NULL,
  number   INTEGER NOT NULL DEFAULT 0,
  asked_at INTEGER NOT NULL
) STRICT;

CREATE INDEX keys_by_exchange ON keys (exchange);
CREATE INDEX keys_by_age ON keys (asked_at);
