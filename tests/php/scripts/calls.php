<?php
// Calls functions that look beyond the program, drawn by a seed, rightly and wrongly, and prints what came of each. A
// handler of the program's own looks at the clock whenever PHP complains.
$state = (int) $_GET['seed'];
function draw(int $below): int {
    global $state;
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return ($state >> 8) % $below;
}
set_error_handler(function (int $type, string $message): bool {
    echo '  complains at ', strlen((string) microtime(true)) > 0 ? 'once' : '', ": $message\n";
    return true;
});

$folder = $_SERVER['FORUM_DATA'] . '/calls';  // outside of the program's folder
class Path {
    public function __construct(private string $path) {}
    public function __toString(): string { return $this->path; }
}
$path = function () use ($folder): mixed {
    $all = ["$folder/a", "$folder/b", $folder, "$folder/none/c", "$folder/../calls/a", __FILE__, __DIR__, __DIR__ . '/none', 'calls.php', 'none', '', "a\0b",
        '../../../none', new Path("$folder/a"), 7, null, []];
    return $all[draw(count($all))];
};
$number = fn (): int => [0, 1, 5, 438, 493, -1, PHP_INT_MAX][draw(7)];
$key = fn (): mixed => ['k', 'l', 'm', ['k', 'l'], '', 3][draw(6)];
$value = fn (): mixed => [1, 2, 'text', null, [1, 'x' => 2.5], PHP_INT_MAX, 1.5][draw(7)];
$none = [];
$open = function (callable $fopen) use ($folder): string {
    $mode = ['w', 'w+', 'c', 'a', 'x', 'r', 'wrong'][draw(7)];
    $stream = $fopen("$folder/" . ['a', 'b', 'none/c'][draw(3)], $mode);
    if (!is_resource($stream)) return 'closed';
    $said = 'wrote ' . (str_contains($mode, 'r') ? '' : fwrite($stream, 'some text'));
    if ($mode === 'w+') $said .= rewind($stream) . fread($stream, 100);
    if (draw(2)) $said .= flock($stream, LOCK_EX | LOCK_NB) ? ' locked' : ' not locked';
    if (draw(2)) $said .= flock($stream, LOCK_UN) ? ' unlocked' : '';
    return $said . (fclose($stream) ? ' closed' : '');
};
$temporary = function (): string {
    $stream = tmpfile();
    fwrite($stream, 'some text');
    rewind($stream);
    return fread($stream, 100);
};

// For each function what it may be given; a closure makes it anew.
$calls = [
    'time' => [], 'microtime' => [fn () => [true, false, 'x', []][draw(4)]], 'gettimeofday' => [fn () => (bool) draw(2)], 'hrtime' => [fn () => (bool) draw(2)],
    'date' => [fn () => ['c', 'U', 'D, d M Y', ''][draw(4)]], 'gmdate' => ['r', $number], 'idate' => [fn () => ['Y', 'B', 'wrong'][draw(3)]], 'getdate' => [], 'localtime' => [],
    'mktime' => [$number], 'gmmktime' => [$number, $number], 'strtotime' => [fn () => ['now', 'tomorrow', '+1 week', 'nonsense'][draw(4)]], 'strftime' => ['%Y %H'], 'gmstrftime' => ['%c'],
    'date_create' => [fn () => ['now', '+1 day', 'nonsense'][draw(3)]], 'date_create_immutable' => ['yesterday'], 'date_create_from_format' => ['H', '12'],
    'date_create_immutable_from_format' => ['Y-m-d', '2020-01-01'], 'sleep' => [fn () => [0, -1, 'x'][draw(3)]], 'usleep' => [fn () => [0, 10, -1][draw(3)]],
    'time_nanosleep' => [fn () => [0, -1][draw(2)], fn () => [10, -1, 2000000000][draw(3)]], 'time_sleep_until' => [fn () => microtime(true) + [0.001, -5][draw(2)]],
    'uniqid' => [fn () => ['', 'p'][draw(2)], fn () => (bool) draw(2)], 'mt_rand' => [], 'rand' => [1, 6], 'random_int' => [1, fn () => [6, 0, PHP_INT_MAX][draw(3)]], 'random_bytes' => [fn () => [1, 8, 0][draw(3)]],
    'lcg_value' => [], 'array_rand' => [['a' => 1, 'b' => 2, 'c' => 3]], 'str_shuffle' => ['some letters'], 'password_hash' => ['word', PASSWORD_BCRYPT, ['cost' => 4]],
    'getmypid' => [], 'posix_getpid' => [], 'gethostname' => [], 'php_uname' => [fn () => ['a', 'n', 's'][draw(3)]], 'memory_get_usage' => [], 'memory_get_peak_usage' => [true], 'getrusage' => [],
    'sys_getloadavg' => [], 'flush' => [], 'fastcgi_finish_request' => [], 'connection_aborted' => [], 'connection_status' => [], 'ignore_user_abort' => [fn () => [true, false, null][draw(3)]],
    'posix_getppid' => [], 'posix_getuid' => [], 'posix_geteuid' => [], 'posix_getgid' => [], 'posix_getegid' => [], 'posix_getgroups' => [], 'posix_getlogin' => [], 'posix_getpwuid' => [0], 'posix_getpwnam' => ['root'],
    'posix_getgrgid' => [0], 'posix_getgrnam' => ['none'], 'posix_uname' => [], 'posix_times' => [], 'spl_object_id' => [new stdClass], 'spl_object_hash' => [fn () => [new stdClass, 1][draw(2)]],
    'unlink' => [fn () => "$folder/" . ['a', 'b', 'none'][draw(3)]], 'mkdir' => [fn () => "$folder/" . ['d', 'e/f'][draw(2)], 0777, fn () => (bool) draw(2)], 'rmdir' => [fn () => "$folder/" . ['d', 'e'][draw(2)]],
    'touch' => [fn () => "$folder/" . ['a', 'none/c'][draw(2)], $number], 'chmod' => [fn () => "$folder/a", 0644], 'chown' => [fn () => "$folder/none", 0], 'chgrp' => [fn () => "$folder/none", 0],
    'lchown' => [fn () => "$folder/none", 0], 'lchgrp' => [fn () => "$folder/none", 0], 'file_put_contents' => [fn () => "$folder/" . ['a', 'none/c'][draw(2)], 'text', fn () => [0, FILE_APPEND, LOCK_EX][draw(3)]],
    'rename' => ["$folder/a", fn () => "$folder/" . ['b', 'none/c'][draw(2)]], 'copy' => [fn () => [__FILE__, "$folder/a"][draw(2)], "$folder/b"], 'link' => ["$folder/a", "$folder/h"], 'symlink' => [__FILE__, "$folder/s"],
    'tempnam' => [fn () => [$folder, "$folder/none", ''][draw(3)], 'calls-'], 'is_file' => [$path], 'is_dir' => [$path], 'is_link' => [$path], 'is_readable' => [$path], 'is_writable' => [fn () => "$folder/a"], 'is_writeable' => [fn () => "$folder/a"],
    'is_executable' => [$path], 'file_exists' => [$path], 'filesize' => [$path], 'filemtime' => [$path], 'filetype' => [$path], 'readlink' => [$path], 'realpath' => [$path], 'scandir' => [$path], 'glob' => [fn () => "$folder/*"],
    'sys_get_temp_dir' => [], 'stat' => [$path], 'lstat' => [$path], 'fileatime' => [$path], 'filectime' => [$path], 'fileinode' => [$path], 'fileowner' => [$path], 'filegroup' => [$path], 'fileperms' => [$path],
    'disk_free_space' => [$path], 'diskfreespace' => ['/'], 'disk_total_space' => ['/'], 'getmyinode' => [], 'getmyuid' => [], 'getmygid' => [], 'get_current_user' => [],
    'apcu_fetch' => [$key], 'apcu_exists' => [$key], 'apcu_delete' => [$key], 'apcu_store' => [$key, $value, fn () => [0, 1, 9, -1][draw(4)]], 'apcu_add' => [$key, $value, 5], 'apcu_inc' => [fn () => ['k', 'n'][draw(2)], $number],
    'apcu_dec' => [fn () => ['k', 'n'][draw(2)], fn () => [1, PHP_INT_MIN][draw(2)]], 'apcu_cas' => ['n', 1, 2], 'apcu_clear_cache' => [], 'apcu_entry' => ['e', fn () => fn () => microtime(true)],
    'fopen' => [], 'tmpfile' => [], 'flock' => [fn () => STREAM_USE_PATH, LOCK_EX], 'fclose' => [fn () => 'none'],
];
$classes = [
    'datetime::__construct' => fn () => new DateTime(['now', 'tomorrow', 'nonsense'][draw(3)]), 'datetimeimmutable::__construct' => fn () => new DateTimeImmutable('+1 hour'),
    'datetime::createfromformat' => fn () => DateTime::createFromFormat('H:i', '12:30'), 'datetimeimmutable::createfromformat' => fn () => DateTimeImmutable::createFromFormat('nonsense', '1'),
];
if (isset($_GET['list'])) {
    echo json_encode(array_merge(array_keys($calls), array_keys($classes)));
    exit;
}

@mkdir($folder);
$names = array_merge(array_keys($calls), array_keys($classes));
for ($i = 0; $i < 60; $i++) {
    $name = $names[draw(count($names))];
    echo "$name\n";
    if (!isset($classes[$name]) && !function_exists($name)) continue;
    try {
        $arguments = array_map(fn ($each) => $each instanceof Closure ? $each() : $each, $calls[$name] ?? []);
        $quiet = draw(4) === 0;
        if ($name === 'fopen') $result = $open($name);
        elseif ($name === 'tmpfile') $result = $temporary();
        elseif (isset($classes[$name])) $result = $classes[$name]();
        else $result = $quiet ? @$name(...$arguments) : $name(...$arguments);
        if ($name === 'tempnam' && is_string($result)) unlink($result);
        echo '  ', $result instanceof DateTimeInterface ? $result->format('U.u') : json_encode($result, JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
    } catch (Throwable $thrown) {
        echo '  throws ', get_class($thrown), ': ', $thrown->getMessage(), "\n";
    }
    if (draw(10) === 0) echo '  last complaint: ', error_get_last()['message'] ?? 'none', "\n";
}
