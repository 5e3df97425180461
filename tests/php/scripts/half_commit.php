<?php
// reads: has the database open until a file is there, then looks into it once more. writes: one row.
$data = $_SERVER['FORUM_DATA'];
$db = new PDO("sqlite:$data/sql.sqlite");
if ($_GET['do'] === 'write') $db->exec("INSERT INTO t (a) VALUES ('w')");
echo $db->query('SELECT count(*) FROM t')->fetchColumn(), ' ';
if ($_GET['do'] === 'wait') {
    touch("$data/waiting");
    while (!file_exists("$data/go")) usleep(1000);
    echo $db->query('SELECT count(*) FROM t')->fetchColumn();
    touch("$data/looked");
    while (true) usleep(1000);
}
