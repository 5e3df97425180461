CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, password TEXT NOT NULL,
                    joined INTEGER NOT NULL, about TEXT NOT NULL DEFAULT '');
CREATE TABLE threads (id INTEGER PRIMARY KEY AUTOINCREMENT, board TEXT NOT NULL, title TEXT NOT NULL,
                      author INTEGER NOT NULL REFERENCES users, created INTEGER NOT NULL, touched INTEGER NOT NULL,
                      replies INTEGER NOT NULL DEFAULT 0);
CREATE TABLE posts (id INTEGER PRIMARY KEY AUTOINCREMENT, thread INTEGER NOT NULL REFERENCES threads,
                    author INTEGER NOT NULL REFERENCES users, body TEXT NOT NULL, created INTEGER NOT NULL,
                    score REAL NOT NULL DEFAULT 0);
CREATE TABLE votes (post INTEGER NOT NULL REFERENCES posts, voter INTEGER NOT NULL REFERENCES users,
                    value INTEGER NOT NULL CHECK (value IN (-1, 1)), UNIQUE (post, voter));
CREATE INDEX posts_by_thread ON posts (thread, id);
CREATE INDEX threads_by_board ON threads (board, touched);
CREATE TRIGGER count_replies AFTER INSERT ON posts BEGIN
  UPDATE threads SET replies = replies + 1, touched = new.created WHERE id = new.thread;
END;
