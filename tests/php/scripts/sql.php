<?php
// Statements of every kind drawn by a seed, through most of what PDO offers, and what each of them gave.
mt_srand((int) $_GET['seed']);
$db = new PDO('sqlite:' . $_SERVER['FORUM_DATA'] . '/sql.sqlite');
$db->setAttribute(PDO::ATTR_ERRMODE, [PDO::ERRMODE_SILENT, PDO::ERRMODE_EXCEPTION][mt_rand(0, 1)]);
$db->setAttribute(PDO::ATTR_STRINGIFY_FETCHES, mt_rand(0, 3) === 0);
$insert = $db->prepare('INSERT INTO t (a, b, c) VALUES (?, ?, ?)');
$named = $db->prepare('SELECT a, b, c FROM t WHERE a >= :low AND a <= :high ORDER BY a, id');
function show(int $step, mixed ...$what): void { echo $step, ' ', json_encode($what, JSON_PARTIAL_OUTPUT_ON_ERROR), "\n"; }
for ($i = 0; $i < 150; $i++) {
    $n = mt_rand(0, 9);
    try {
        switch (mt_rand(0, 20)) {
            case 0: show($i, $insert->execute([$n, "text '$n'", $n / 3]), $insert->rowCount(), $db->lastInsertId(), $insert->errorInfo()); break;
            case 1: show($i, $db->exec("INSERT INTO t (a, b) VALUES ($n, x'00ff'), ($n, NULL)"), $db->errorInfo()); break;
            case 2: show($i, $db->exec("UPDATE t SET c = c + 1 WHERE a = $n; DELETE FROM t WHERE a = $n AND c > 5; -- done"), $db->errorCode()); break;
            case 3: $named->execute(['low' => $n, ':high' => $n + 2]); show($i, $named->fetchAll(PDO::FETCH_ASSOC), $named->rowCount(), $named->columnCount()); break;
            case 4: $named->bindValue(':low', $n, PDO::PARAM_INT); $named->bindValue('high', '9'); $named->execute(); show($i, $named->fetch(PDO::FETCH_NUM), $named->fetchColumn(1), $named->fetchObject()); $named->closeCursor(); break;
            case 5: show($i, $db->query('SELECT count(*), sum(a), max(b), typeof(c) FROM t')?->fetch()); break;
            case 6: foreach ($db->query('SELECT id, b FROM t ORDER BY id LIMIT 5', PDO::FETCH_OBJ) as $row) { $db->exec('UPDATE t SET b = \'seen\' WHERE id = ' . $row->id); show($i, $row); } break;
            case 7: show($i, $db->query('SELECT * FROM nowhere'), $db->errorInfo()); break;
            case 8: show($i, $db->prepare('SELEC 1'), $db->errorInfo()); break;
            case 9: show($i, $db->beginTransaction(), $db->inTransaction()); break;
            case 10: show($i, $db->commit(), $db->inTransaction()); break;
            case 11: show($i, $db->rollBack(), $db->inTransaction()); break;
            case 12: show($i, $db->exec("SAVEPOINT s$n; INSERT INTO u VALUES ($n, 1); " . ($n % 2 ? "ROLLBACK TO s$n; " : '') . "RELEASE s$n"), $db->errorInfo()); break;
            case 13: show($i, $db->exec("INSERT INTO u VALUES ($n, 2)"), $db->errorCode(), $db->errorInfo()); break;
            case 14: show($i, $db->exec("INSERT OR FAIL INTO u VALUES (100, 1), ($n, 2), (101, 3)"), $db->query('SELECT group_concat(k) FROM u')->fetchColumn()); break;
            case 15: show($i, $db->exec("INSERT OR ROLLBACK INTO u VALUES ($n, 2)"), $db->exec('REPLACE INTO u VALUES (3, 9)')); break;
            case 16: show($i, $db->exec("CREATE TABLE v$n (x)"), $db->exec("DROP TABLE v" . mt_rand(0, 9)), $db->errorInfo()); break;
            case 17: show($i, $db->quote("it's $n"), $db->getAttribute(PDO::ATTR_DRIVER_NAME), $db->getAttribute(PDO::ATTR_SERVER_VERSION)); break;
            case 18: $blob = $db->prepare('SELECT :x, length(:x), typeof(:y)'); $blob->bindValue(':x', "a\0b", PDO::PARAM_LOB); $blob->bindValue(':y', $n > 4, PDO::PARAM_BOOL); $blob->execute(); show($i, array_map('bin2hex', $blob->fetch(PDO::FETCH_NUM))); break;
            case 19: show($i, $db->query("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < $n) SELECT i FROM r")->fetchAll(PDO::FETCH_COLUMN)); break;
            case 20: show($i, $db->query('DELETE FROM u WHERE k > 4 RETURNING k')->fetchAll(PDO::FETCH_COLUMN), $insert->execute([$n, 'wrong', []])); break;
        }
    } catch (PDOException $refused) {
        show($i, get_class($refused), $refused->getMessage(), $refused->getCode(), $refused->errorInfo);
    }
}
show(-1, $db->query('SELECT * FROM t ORDER BY id')?->fetchAll(PDO::FETCH_NUM), $db->query('SELECT * FROM u ORDER BY k')?->fetchAll(PDO::FETCH_KEY_PAIR));
