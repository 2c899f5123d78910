-- Before chats had kinds, all of them were typed.
ALTER TABLE chats ADD COLUMN kind TEXT NOT NULL DEFAULT 'chat' CHECK (kind IN ('chat', 'voice'));
