<?php
// Takes a lock, adds one to a number in the database that is guarded by nothing else, lets go.
$lock = fopen($_SERVER['FORUM_DATA'] . '/some.lock', 'c');
flock($lock, LOCK_EX);
$db = new PDO('sqlite:' . $_SERVER['FORUM_DATA'] . '/sql.sqlite');
$n = $db->query('SELECT count(*) FROM t')->fetchColumn();
$db->exec("INSERT INTO t (a) VALUES ($n)");
if ($_GET['how'] === 'unlock') flock($lock, LOCK_UN);
if ($_GET['how'] === 'close') fclose($lock);
if ($_GET['how'] === 'remove') { unlink($_SERVER['FORUM_DATA'] . '/some.lock'); fclose($lock); }
if ($_GET['how'] === 'forget') { $lock = null; $lock = fopen($_SERVER['FORUM_DATA'] . '/some.lock', 'c'); echo flock($lock, LOCK_EX | LOCK_NB) ? 'again ' : 'lost '; }
echo $n;
