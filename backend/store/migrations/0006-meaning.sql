-- What messages mean: for each part of a message a vector of MiniLM-L6, a signed byte a dimension. A vector goes with its message.
CREATE TABLE vectors (
  id      INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice, so that what was read can be told from what is new
  message INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  part    INTEGER NOT NULL,
  vector  BLOB    NOT NULL
) STRICT;

CREATE INDEX vectors_by_message ON vectors (message);

-- The messages that have none yet.
CREATE TABLE unlearnt (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  message INTEGER NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE
) STRICT;

INSERT INTO unlearnt (message) SELECT id FROM messages WHERE role <> 'tool' AND text <> '' ORDER BY id;

CREATE TRIGGER unlearnt_insert AFTER INSERT ON messages WHEN new.role <> 'tool' AND new.text <> '' BEGIN
  INSERT INTO unlearnt (message) VALUES (new.id);
END;

CREATE TRIGGER unlearnt_update AFTER UPDATE OF text ON messages WHEN new.role <> 'tool' BEGIN
  DELETE FROM vectors WHERE message = new.id;
  INSERT OR REPLACE INTO unlearnt (message) VALUES (new.id);
END;
