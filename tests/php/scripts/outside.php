<?php
// What a program can learn without being told by anybody.
$before = microtime(true);
for ($i = 0; $i < 200000; $i++) $x = md5((string) $i);
$same = microtime(true) === $before && time() === (int) $before && $_SERVER['REQUEST_TIME_FLOAT'] === $before
    && date('U') === (string) (int) $before && (new DateTime())->format('U.u') === sprintf('%.6F', $before);
usleep(20000);
$after = microtime(true);
apcu_store('soon', 'gone', 1);
sleep(2);
echo json_encode([
    'stands' => $same, 'moves' => $after > $before, 'hrtime' => hrtime(true) > 0,
    'different' => count(array_unique([uniqid(), uniqid(), uniqid('', true)])), 'memory' => memory_get_usage() === memory_get_peak_usage(),
    'bytes' => strlen(random_bytes(16)), 'int' => random_int(1, 6) <= 6, 'pid' => getmypid() > 0, 'gone' => apcu_fetch('soon'),
    'ids' => [spl_object_id($a = new stdClass), spl_object_id($b = new stdClass), spl_object_id($a)], 'file' => is_file('/nowhere/at/all'),
]);
