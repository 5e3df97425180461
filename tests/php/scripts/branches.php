<?php
// Branches of every kind, decided by one number; prints which way each of them went.
$n = (int) $_GET['n'];
$path = [];
if ($n % 2 === 0) $path[] = 'even';                       // fused with the comparison
if ($n > 40) { $path[] = 'large'; } else { $path[] = 'small'; }
$flag = $n & 4;
if ($flag) $path[] = 'four';                              // not fused
$maybe = $n % 5 === 0 ? null : 'some';
$path[] = $maybe ?? 'none';
$path[] = ($n % 3 === 0 ? '' : 'three') ?: 'empty';
switch ($n % 7) {
    case 0: $path[] = 'a'; break;
    case 1: case 2: $path[] = 'b'; break;
    case 3: $path[] = 'c'; break;
    case 4: $path[] = 'd'; break;
    case 5: $path[] = 'e'; break;
    default: $path[] = 'f';
}
$path[] = match ('k' . $n % 4) { 'k0' => 'zero', 'k1' => 'one', 'k2' => 'two', default => 'many' };
foreach (array_fill(0, $n % 3, 'x') as $each) $path[] = $each;
try {
    if ($n % 11 === 0) throw new DomainException('thrown');
    $path[] = 'calm';
} catch (DomainException $e) {
    $path[] = 'caught';
}
$path[] = $n % 2 && $n % 13 ? 'both' : 'not both';
for ($i = 0; $i < $n % 2; $i++) $path[] = 'once';
echo implode(' ', $path);
