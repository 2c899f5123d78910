-- What people and Echo said is searched; what tools returned is not. Beginnings of words of two and three letters, which very
-- many words share, have an index of their own: a search shows hits while it is typed.
CREATE VIRTUAL TABLE messages_fts USING fts5 (text, content = 'messages', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3');

INSERT INTO messages_fts (rowid, text) SELECT id, text FROM messages WHERE role <> 'tool';

CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages WHEN new.role <> 'tool' BEGIN
  INSERT INTO messages_fts (rowid, text) VALUES (new.id, new.text);
END;

CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages WHEN old.role <> 'tool' BEGIN
  INSERT INTO messages_fts (messages_fts, rowid, text) VALUES ('delete', old.id, old.text);
END;

CREATE TRIGGER messages_fts_update AFTER UPDATE OF text ON messages WHEN old.role <> 'tool' BEGIN
  INSERT INTO messages_fts (messages_fts, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO messages_fts (rowid, text) VALUES (new.id, new.text);
END;
