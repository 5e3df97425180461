<?php
// Makes the forum's first state in a folder: php setup.php FOLDER [users] [threads] [posts per thread]
// The same numbers give the same rows, whoever runs it and whenever.
declare(strict_types=1);

[, $folder, $users, $threads, $posts] = $argv + [1 => '', 2 => '20', 3 => '30', 4 => '6'];
if ($folder === '' || !is_dir($folder)) {
    fwrite(STDERR, "usage: setup.php FOLDER [users] [threads] [posts per thread]\n");
    exit(1);
}
$words = ['river', 'stone', 'ledger', 'window', 'cedar', 'signal', 'harbour', 'copper', 'meadow', 'lantern', 'orbit', 'thread'];
$state = 20250101;
$next = function (int $below) use (&$state): int {
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return ($state >> 8) % $below;
};
$sentence = fn (int $n): string => ucfirst(implode(' ', array_map(fn () => $words[$next(count($words))], range(1, $n)))) . '.';

$db = new PDO('sqlite:' . $folder . '/forum.sqlite', null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$db->exec('PRAGMA journal_mode = WAL');
$db->exec(file_get_contents(__DIR__ . '/schema.sql'));
$db->beginTransaction();
$user = $db->prepare('INSERT INTO users (name, password, joined, about) VALUES (?, ?, ?, ?)');
// A fixed salt, so that the state is the same each time; the password of user7 is word7.
for ($i = 1; $i <= (int) $users; $i++) {
    $user->execute(["user$i", crypt("word$i", '$2y$04$forumfixtureforumfixtu'), 1700000000 + 3600 * $i, $sentence(5)]);
}
$thread = $db->prepare('INSERT INTO threads (board, title, author, created, touched) VALUES (?, ?, ?, ?, ?)');
$post = $db->prepare('INSERT INTO posts (thread, author, body, created) VALUES (?, ?, ?, ?)');
for ($t = 1; $t <= (int) $threads; $t++) {
    $created = 1710000000 + 600 * $t;
    $thread->execute([['general', 'help', 'show'][$next(3)], $sentence(3), 1 + $next((int) $users), $created, $created]);
    for ($p = 0; $p < 1 + $next(2 * (int) $posts); $p++) {
        $body = $sentence(6) . "\n" . ($next(3) ? '' : '*' . $sentence(2) . '* see #' . (1 + $next($t))) . ' ' . $sentence(8);
        $post->execute([$t, 1 + $next((int) $users), $body, $created + 60 * $p]);
    }
}
$db->commit();
$db->exec('PRAGMA wal_checkpoint(TRUNCATE)');
