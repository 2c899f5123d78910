-- What is deleted leaves the search index at once, not with a later merge.
INSERT INTO messages_fts (messages_fts, rank) VALUES ('secure-delete', 1);
