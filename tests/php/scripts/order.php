<?php
// Statements that get into each other's way when several processes run this at once, and what each of them gave.
mt_srand((int) $_GET['seed']);
$db = new PDO('sqlite:' . $_SERVER['FORUM_DATA'] . '/sql.sqlite', null, null, [PDO::ATTR_TIMEOUT => mt_rand(0, 1), PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT]);
function statement(): string {
    $n = mt_rand(0, 5);
    $which = mt_rand(0, 1);
    return [
        'BEGIN', 'BEGIN IMMEDIATE', 'COMMIT', 'COMMIT', 'ROLLBACK', 'SAVEPOINT s', 'RELEASE s', 'ROLLBACK TO s',
        "INSERT INTO t (a, b) VALUES ($n, 'x')", "UPDATE t SET c = c + 1 WHERE a = $n", "DELETE FROM t WHERE a = $n AND c > 2",
        "INSERT INTO u VALUES ($n, 1)", "REPLACE INTO u VALUES ($n, 2)", "INSERT OR ROLLBACK INTO u VALUES ($n, 3)", 'INSERT INTO u VALUES (990, 4)',
        "INSERT OR FAIL INTO u VALUES (7, 1), ($n, 1)", "DELETE FROM u WHERE k = $n RETURNING k, v",
        "CREATE TABLE x$which (p)", "DROP TABLE x$which", "CREATE TABLE IF NOT EXISTS x$which (p)", "DROP TABLE IF EXISTS x$which",
        "CREATE INDEX i$which ON t (a)", "CREATE INDEX IF NOT EXISTS i$which ON t (a)", "DROP INDEX IF EXISTS i$which",
        "INSERT INTO x$which VALUES ($n)", "SELECT * FROM x$which", "SELECT count(*), sum(a), sum(c) FROM t", 'SELECT * FROM u', 'PRAGMA foreign_keys = ' . $which,
    ][mt_rand(0, 28)];
}
for ($i = 0; $i < 60; $i++) {
    $sql = statement();
    $made = mt_rand(0, 3) === 0 ? $db->prepare($sql) : null;
    if ($made instanceof PDOStatement) $made->execute();
    $result = $made ?? $db->query($sql);
    echo $i, ' ', $sql, ': ', json_encode([$result ? $result->fetchAll(PDO::FETCH_NUM) : false, $result ? $result->rowCount() : 0, $db->errorInfo(), $db->lastInsertId()]), "\n";
}
