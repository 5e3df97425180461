<?php
// What the forum keeps: rows in SQLite, and copies of expensive answers in the shared cache.
declare(strict_types=1);

final class NotFound extends RuntimeException {}
final class Refused extends RuntimeException
{
    public function __construct(string $message, public readonly int $status = 403) { parent::__construct($message); }
}

final class Post
{
    public int $id;
    public string $name;
    public string $body;
    public int $created;
    public float $score;
    public ?int $mine = null;

    public function __toString(): string { return Text::markup($this->body); }
}

final class Store
{
    private static ?self $instance = null;
    public int $hits = 0;
    public int $misses = 0;

    private function __construct(private PDO $db)
    {
        $db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
        $db->setAttribute(PDO::ATTR_DEFAULT_FETCH_MODE, PDO::FETCH_ASSOC);
        $db->exec('PRAGMA foreign_keys = ON');
    }

    public static function open(string $folder): self
    {
        return self::$instance ??= new self(new PDO("sqlite:$folder/forum.sqlite", null, null, [PDO::ATTR_TIMEOUT => 10]));
    }

    /** The value of $make(), kept in the cache for $seconds. */
    private function cached(string $key, int $seconds, callable $make): mixed
    {
        $value = apcu_fetch($key, $found);
        if ($found) {
            $this->hits++;
            return $value;
        }
        $this->misses++;
        $value = $make();
        apcu_store($key, $value, $seconds);
        return $value;
    }

    private function forget(string ...$keys): void { apcu_delete($keys); }

    public function boards(): array
    {
        return $this->cached('boards', 60, function (): array {
            $boards = [];
            foreach ($this->db->query('SELECT board, count(*), max(touched) FROM threads GROUP BY board ORDER BY board', PDO::FETCH_NUM) as [$name, $n, $last]) {
                $boards[$name] = ['threads' => $n, 'last' => $last];
            }
            return $boards;
        });
    }

    public function threads(string $board, int $page): array
    {
        $select = $this->db->prepare('SELECT t.id, t.title, t.replies, t.touched, u.name FROM threads t JOIN users u ON u.id = t.author
            WHERE t.board = :board ORDER BY t.touched DESC, t.id LIMIT 10 OFFSET :skip');
        $select->bindValue(':board', $board);
        $select->bindValue(':skip', 10 * $page, PDO::PARAM_INT);
        $select->execute();
        return $select->fetchAll();
    }

    public function thread(int $id): array
    {
        return $this->cached("thread:$id", 300, function () use ($id): array {
            $select = $this->db->prepare('SELECT id, title, board, replies FROM threads WHERE id = ?');
            $select->execute([$id]);
            return $select->fetch() ?: throw new NotFound("There is no thread $id.");
        });
    }

    /** @return Post[] */
    public function posts(int $thread, ?int $reader): array
    {
        $select = $this->db->prepare('SELECT p.id, u.name, p.body, p.created, p.score, v.value AS mine FROM posts p
            JOIN users u ON u.id = p.author LEFT JOIN votes v ON v.post = p.id AND v.voter = ? WHERE p.thread = ? ORDER BY p.id');
        $select->execute([$reader, $thread]);
        return $select->fetchAll(PDO::FETCH_CLASS, Post::class);
    }

    public function reply(int $thread, int $author, string $body): int
    {
        $this->db->beginTransaction();
        try {
            $known = $this->db->query("SELECT count(*) FROM threads WHERE id = $thread")->fetchColumn();
            if (!$known) throw new NotFound("There is no thread $thread.");
            $insert = $this->db->prepare('INSERT INTO posts (thread, author, body, created) VALUES (?, ?, ?, ?)');
            $insert->execute([$thread, $author, $body, time()]);
            $id = (int) $this->db->lastInsertId();
            // Inside the transaction: other requests may read the old row and cache it again, which is what caches do.
            $this->forget("thread:$thread", 'boards', "user:$author");
            apcu_inc('posts-written', 1);
            $this->db->commit();
            return $id;
        } catch (Throwable $trouble) {
            $this->db->rollBack();
            throw $trouble;
        }
    }

    public function start(string $board, string $title, int $author, string $body): int
    {
        $now = time();
        $this->db->exec('BEGIN IMMEDIATE');
        $insert = $this->db->prepare('INSERT INTO threads (board, title, author, created, touched) VALUES (?, ?, ?, ?, ?)');
        $insert->execute([$board, $title, $author, $now, $now]);
        $id = (int) $this->db->lastInsertId();
        $this->db->exec('SAVEPOINT first_post; UPDATE users SET about = about WHERE id = ' . $author . '; RELEASE first_post');
        $this->db->prepare('INSERT INTO posts (thread, author, body, created) VALUES (?, ?, ?, ?)')->execute([$id, $author, $body, $now]);
        $this->db->exec('COMMIT');
        $this->forget('boards', "user:$author");
        return $id;
    }

    /** False if this user has voted on this post before. */
    public function vote(int $post, int $voter, int $value): bool
    {
        try {
            $this->db->prepare('INSERT INTO votes (post, voter, value) VALUES (?, ?, ?)')->execute([$post, $voter, $value]);
        } catch (PDOException $refused) {
            if ($refused->errorInfo[1] !== 19) throw $refused;
            return false;
        }
        $changed = $this->db->exec("UPDATE posts SET score = (SELECT sum(value) * 1.0 / (1 + count(*)) FROM votes WHERE post = $post) WHERE id = $post");
        return $changed === 1;
    }

    public function user(string|int $which): array
    {
        $column = is_int($which) ? 'id' : 'name';
        $select = $this->db->prepare("SELECT id, name, password, joined, about FROM users WHERE $column = ?");
        $select->execute([$which]);
        $user = $select->fetch();
        return $user === false ? throw new NotFound('There is no such user.') : $user;
    }

    public function register(string $name, string $word): int
    {
        $insert = $this->db->prepare('INSERT OR IGNORE INTO users (name, password, joined) VALUES (:name, :password, :joined)');
        $insert->execute(['name' => $name, 'password' => password_hash($word, PASSWORD_BCRYPT, ['cost' => 4]), 'joined' => time()]);
        if ($insert->rowCount() === 0) throw new Refused("The name $name is taken.", 409);
        return (int) $this->db->lastInsertId();
    }

    public function about(int $user, string $about): void
    {
        $this->db->prepare('UPDATE users SET about = ? WHERE id = ?')->execute([$about, $user]);
        $this->forget("user:$user");
    }

    public function profile(int $user): array
    {
        return $this->cached("user:$user", 120, function () use ($user): array {
            $select = $this->db->query("SELECT count(*) AS posts, total(score) AS score, max(created) AS last FROM posts WHERE author = $user");
            return $select->fetch() + ['threads' => $this->db->query("SELECT id, title FROM threads WHERE author = $user ORDER BY id")->fetchAll(PDO::FETCH_KEY_PAIR)];
        });
    }

    /** @return iterable<array{id: int, thread: int, title: string, body: string}> */
    public function search(string $words): iterable
    {
        $select = $this->db->prepare("SELECT p.id, p.thread, t.title, p.body FROM posts p JOIN threads t ON t.id = p.thread
            WHERE p.body LIKE '%' || ? || '%' ESCAPE '\\' ORDER BY p.score DESC, p.id LIMIT 20");
        $select->execute([addcslashes($words, '%_\\')]);
        while ($row = $select->fetch()) {
            yield $row['id'] => $row;
        }
    }
}
