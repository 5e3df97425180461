<?php
// A few hundred calls of the APCu functions drawn by a seed, and what each of them answered.
mt_srand((int) $_GET['seed']);
apcu_clear_cache();
$keys = ['a', 'b', 'c', 'd', '7'];
$values = [1, -5, 'text', 2.5, null, false, true, [1, 'x' => [2, 3]], new ArrayObject([1, 2]), 1 << 40, ''];
for ($i = 0; $i < 300; $i++) {
    $key = $keys[mt_rand(0, 4)];
    do $other = $keys[mt_rand(0, 4)]; while ($other === $key);
    $value = $values[mt_rand(0, 10)];
    $success = 'unset';
    $answer = match (mt_rand(0, 12)) {
        0, 1 => apcu_fetch($key, $success),
        2 => apcu_fetch([$key, $other, 'none'], $success),
        3, 4 => apcu_store($key, $value),
        5 => apcu_store([$key => $value, $other => 3]),
        6 => apcu_add($key, $value),
        7 => [apcu_exists($key), apcu_exists([$key, $other])],
        8 => mt_rand(0, 3) ? apcu_delete($key) : apcu_delete([$key, $other]),
        9 => apcu_inc($key, mt_rand(-3, 3), $success),
        10 => apcu_dec($key, mt_rand(0, 3), $success),
        11 => apcu_cas($key, mt_rand(-2, 2), mt_rand(0, 2)),
        12 => apcu_entry($key, fn ($k) => "made for $k"),
    };
    echo $i, ' ', $key, ' ', json_encode($answer), ' ', json_encode($success), "\n";
}
