<?php
// Puts as much as it is told into the session, and tells what was there.
set_error_handler(function (int $type, string $message): bool {
    echo 'complains: ', $message, "\n";
    return true;
});
session_id($_GET['id']);
session_start();
echo strlen($_SESSION['text'] ?? ''), "\n";
$_SESSION['text'] = str_repeat('x', (int) $_GET['size']);
session_write_close();
