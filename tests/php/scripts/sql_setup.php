<?php
$db = new PDO('sqlite:' . $argv[1] . '/sql.sqlite');
$db->exec('PRAGMA journal_mode = WAL');
$db->exec('CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a INTEGER, b, c REAL DEFAULT 0.5)');
$db->exec('CREATE TABLE u (k INTEGER PRIMARY KEY, v NOT NULL)');
$db->exec("CREATE TRIGGER never BEFORE INSERT ON u WHEN new.k = 990 BEGIN SELECT RAISE(ROLLBACK, 'never'); END");
