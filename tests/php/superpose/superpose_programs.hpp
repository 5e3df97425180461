// Small programs, each a way in which superposition could be silently wrong. $x, $y are words and $i a number that differ between the
// lanes; $n is null in some of them; $u and $w are the same in all. Random programs that were wrong are kept here too.
#pragma once

#include <array>

namespace assay::php::testing {

struct SmallProgram {
  const char* name;
  const char* source;
};

inline constexpr std::array kSmallPrograms = {
    SmallProgram{"isset of a variable",
                 "echo json_encode([isset($n), empty($n), is_null($n), $n === null]);"},
    SmallProgram{"isset of an element",
                 "$a = ['k' => $n]; echo json_encode([isset($a['k']), empty($a['k']), isset($a['z'])]);"},
    SmallProgram{"isset of a nested element",
                 "$a = ['k' => ['z' => $n]]; echo json_encode(isset($a['k']['z']));"},
    SmallProgram{
        "isset of a property",
        "$o = new stdClass; $o->k = $n; echo json_encode([isset($o->k), empty($o->k), isset($o->none)]);"},
    SmallProgram{"isset of a property alone",
                 "$o = new stdClass; $o->k = $n; echo json_encode(isset($o->k));"},
    SmallProgram{"isset of a static property",
                 "class A { static $p; } $r = &A::$p; $r = $n; echo json_encode(isset(A::$p));"},
    SmallProgram{"isset of a global", "$GLOBALS['g'] = $n; echo json_encode(isset($GLOBALS['g']));"},
    SmallProgram{"isset of a character", "echo json_encode([isset($x[1]), empty($x[0])]);"},
    SmallProgram{"null coalescing", "$a = ['k' => $n]; echo 'p', $a['k'] ?? 'default';"},
    SmallProgram{"identity of arrays",
                 "$a = [1, $x]; $b = [1, $y]; echo json_encode([$a === $b, $a !== $b, $a == $b]);"},
    SmallProgram{"identity of nested arrays",
                 "$a = [1, [2, $x]]; $b = [1, [2, $x . '']]; echo json_encode($a === $b);"},
    SmallProgram{"order of arrays", "echo json_encode([[1, $i] <=> [1, 2], [$i] < [2], [$i] <= [2]]);"},
    SmallProgram{
        "equal objects",
        "$a = new stdClass; $a->v = $x; $b = new stdClass; $b->v = 'b'; echo json_encode($a == $b);"},
    SmallProgram{"a switch on identity",
                 "switch (true) { case [$x] === ['b']: echo 'b'; break; default: echo 'other'; }"},
    SmallProgram{
        "types",
        "echo json_encode([is_string($n), is_int($i), gettype($n), is_object($x), $x instanceof stdClass]);"},
    SmallProgram{"a key that differs",
                 "$a = ['q' => 1]; $a[$x] = $y; $b = $a; $b[$x] = 'other'; echo json_encode([$a, $b]);"},
    SmallProgram{"a nested key that differs",
                 "$a = []; $a[$x]['in'] = $y; $b = $a; $b[$x]['in'] = 'o'; echo json_encode([$a, $b]);"},
    SmallProgram{"a reference under a key that differs",
                 "$a = []; $r = &$a[$x]; $r = 5; $r++; echo json_encode($a);"},
    SmallProgram{"a literal with a key that differs", "echo json_encode(['m' => 1, $x => 2, 'b' => 3, 4]);"},
    SmallProgram{"removing a key that differs",
                 "$a = ['a' => 1, 'b' => 2]; unset($a[$x]); $a[] = 1; echo json_encode($a);"},
    SmallProgram{"the next free key",
                 "$a = [3 => 1]; $a[$i + 10] = 2; unset($a[$i + 10]); $a[] = 3; echo json_encode($a);"},
    SmallProgram{"the internal pointer",
                 "$a = [$x, $y, 'z']; next($a); $b = $a; echo current($b), key($b), current([$i, 2]);"},
    SmallProgram{"a loop by reference",
                 "$a = [$x, $y]; foreach ($a as &$v) $v .= '!'; unset($v); echo implode(',', $a);"},
    SmallProgram{"a loop over keys that differ", "foreach ([$x => 1, 'z' => 2] as $k => $v) echo $k, $v;"},
    SmallProgram{"destructuring", "[$p, [$q]] = [$x, [$y]]; ['k' => $r] = ['k' => $i]; echo $p, $q, $r;"},
    SmallProgram{"spreading",
                 "function f(...$a) { return count($a) . implode($a); } echo f(...[$x, $i]), "
                 "json_encode([...[$y], 1]);"},
    SmallProgram{"typed further arguments",
                 "function f(int ...$a) { return array_sum($a); } echo f(1, $i, 3);"},
    SmallProgram{"arguments by name", "function f($a, $b = 2) { return \"$a-$b\"; } echo f(b: $x, a: $i);"},
    SmallProgram{"optional parameters behind each other",
                 "function f(int $a = 1, object|string $b = '', float $c = 1.5) { return gettype($b) . $c; } "
                 "echo f(2, $x, $i);"},
    SmallProgram{"a parameter that takes objects",
                 "function f(object $o) { return 'object'; } try { echo f($n); } catch (TypeError $e) { echo "
                 "'no object'; }"},
    SmallProgram{
        "conversion of parameters",
        "function f(int $a, ?string $b) { return gettype($a) . gettype($b); } echo f('1' . $i, $i);"},
    SmallProgram{"conversion of results", "function f($v): string { return $v; } var_dump(f($i));"},
    SmallProgram{"typed properties",
                 "class T { public float $f; public ?string $s; } $t = new T; $t->f = $i; $t->s = $n; "
                 "var_dump($t->f, $t->s);"},
    SmallProgram{"a typed reference",
                 "class T { public object $o; } $t = new T; $t->o = $t; $r = &$t->o; try { $r = $x; echo "
                 "'took'; } catch "
                 "(TypeError $e) { echo 'refused'; }"},
    SmallProgram{"a loop into a typed reference",
                 "class T { public object $o; } $t = new T; $t->o = $t; $r = &$t->o; try { foreach ([$x] as "
                 "$r) echo 'took'; } catch "
                 "(TypeError $e) { echo 'refused'; }"},
    SmallProgram{"read only",
                 "class T { function __construct(public readonly string $s) {} } echo (new T($x))->s;"},
    SmallProgram{"counting up words", "$a = $x; $a++; $b = null; $b = $n; $b++; echo json_encode([$a, $b]);"},
    SmallProgram{
        "counting up an element",
        "$a = ['k' => $i, 's' => $x]; $a['k']++; $a['k'] += 2; $a['s'] .= '!'; echo json_encode($a);"},
    SmallProgram{"counting up a property",
                 "class C { public $n; public int $t = 0; } $o = new C; $o->n = $x; $o->n++; $o->t = $i; "
                 "$o->t *= 2; echo $o->n, $o->t;"},
    SmallProgram{"text of an object",
                 "class S { public $v; function __toString(): string { return \"[{$this->v}]\"; } } $s = new "
                 "S; $s->v = $x; "
                 "echo $s, $s . '!', \"$s-$s\", (string) $s; $t = 'a'; $t .= $s; echo $t;"},
    SmallProgram{"text of an object in C code",
                 "class S { public $v; function __toString(): string { return \"[{$this->v}]\"; } } $s = new "
                 "S; $s->v = $x; "
                 "echo strtoupper($s), implode(',', [$s, 'b']);"},
    SmallProgram{
        "text of an object that C code rejects",
        "class S { public $v; function __toString(): string { return $this->v; } } $s = new S; $s->v = $x; "
        "try { echo strtoupper($s); } catch (Error $e) { echo 'caught'; }"},
    SmallProgram{
        "an abandoned rope",
        "function f($t) { throw new Exception('e'); } try { echo \"a $x b \" . f(1); } catch (Exception $e) "
        "{} "
        "try { $z = \"p $x {$GLOBALS['none']}\"; echo \"q $u $i\", $z; } finally { echo \"1 $u 2 $u\"; }"},
    SmallProgram{"magic properties",
                 "class M { function __get($k) { return $k . $GLOBALS['x']; } function __isset($k) { return "
                 "true; } } $m = new M; "
                 "echo $m->foo, json_encode([isset($m->k), empty($m->k)]);"},
    SmallProgram{"elements of objects",
                 "class A implements ArrayAccess { private $d = []; function offsetGet($k): mixed { return "
                 "$this->d[$k] ?? 'none'; } function "
                 "offsetSet($k, $v): void { $this->d['s'] = $v; } function offsetExists($k): bool { return "
                 "isset($this->d[$k]); } function "
                 "offsetUnset($k): void {} } $a = new A; $a['z'] = $n; echo json_encode([isset($a['s']), "
                 "$a['s'], empty($a['q'])]);"},
    SmallProgram{"elements of PHP's objects",
                 "$a = new ArrayObject(); $a['k'] = $n; echo json_encode(isset($a['k']));"},
    SmallProgram{"weak maps",
                 "$m = new WeakMap; $k = new stdClass; $m[$k] = $n; echo json_encode(isset($m[$k]));"},
    SmallProgram{"clones", "$o = new stdClass; $o->v = $x; $c = clone $o; $c->v .= '!'; echo $o->v, $c->v;"},
    SmallProgram{"closures",
                 "$f = function($a) use ($x, &$y) { $y .= $a; return $x . $a; }; echo $f($i), $y, (fn() => "
                 "$x . $i)();"},
    SmallProgram{"static variables",
                 "function c($v) { static $s = ''; $s .= $v; return $s; } echo c($x), c('-'), c($y);"},
    SmallProgram{"generators",
                 "function g($v) { $got = yield $v; echo $got; yield from [$v . 1]; return $v; } $g = g($x); "
                 "echo $g->current(), "
                 "$g->send($y), $g->next(), $g->getReturn();"},
    SmallProgram{
        "keys of generators",
        "function g($v) { yield 5 => 1; yield $v => 2; yield 3; } foreach (g($i) as $k => $v) echo $k, $v;"},
    SmallProgram{"exceptions",
                 "try { throw new RuntimeException(\"no $x\", 3); } catch (RuntimeException $e) { echo "
                 "$e->getMessage(), $e->getCode(); }"},
    SmallProgram{"an error that may be caught",
                 "try { $o = $n; echo $o->foo(); } catch (Error $e) { echo 'caught'; }"},
    SmallProgram{"an arithmetic error",
                 "try { echo 6 % ($i - 1); } catch (DivisionByZeroError $e) { echo 'zero'; }"},
    SmallProgram{"a type error of a builtin",
                 "try { echo strlen($n ?? []); } catch (TypeError $e) { echo 'type'; }"},
    SmallProgram{"warnings",
                 "set_error_handler(function($no, $m) { echo \"<$m>\"; return true; }); $a = ['a' => 1]; "
                 "echo $a[$x] ?? '-', @$a[$x], $x + 1;"},
    SmallProgram{"a warning that all have",
                 "set_error_handler(function($no, $m) { echo \"<$m>\"; return true; }); echo $none, $x;"},
    SmallProgram{"the last error", "@strpos(); "},
    SmallProgram{"the last error of JSON",
                 "echo json_last_error(), json_decode(\"[$i\"), json_last_error();"},
    SmallProgram{"the last error of patterns", "echo preg_match('/./u', $x . chr(200)), preg_last_error();"},
    SmallProgram{"words one by one", "strtok(\"a $x b\", ' '); echo strtok(' '), strtok(' ');"},
    SmallProgram{"settings", "ini_set('precision', $i + 3); echo 1 / 3;"},
    SmallProgram{"constants", "define('C' . $u, 5); echo C3; define('D', $x); echo D;"},
    SmallProgram{"names that differ", "$f = ['strtoupper', 'ucfirst'][$i % 2]; echo $f('word');"},
    SmallProgram{"classes that differ", "$c = ['ArrayObject', 'stdClass'][$i % 2]; echo get_class(new $c);"},
    SmallProgram{"variables by name", "$v = ['x', 'y'][$i % 2]; echo $$v;"},
    SmallProgram{"properties by name", "$o = new stdClass; $o->a = 1; $o->b = 2; $o->c = 3; echo $o->$x;"},
    SmallProgram{"searching",
                 "echo json_encode([in_array($x, ['a', 'b']), in_array('a', [$x, $y], true), "
                 "array_search($x, ['a', 'b', 'c'])]);"},
    SmallProgram{"searching strictly", "echo json_encode(in_array('a', [$x, $y], true));"},
    SmallProgram{"keys and values",
                 "echo json_encode([array_flip([$x, $y]), array_unique([$x, 'a', 'b']), "
                 "array_fill_keys([$x], $y), array_keys([$x => 1])]);"},
    SmallProgram{"searching for keys", "echo json_encode(array_keys(['p' => $x, 'q' => 'b'], 'b'));"},
    SmallProgram{"counting deep", "echo count([1, [2, [$x]]], 1), count([[$x, $y], $i]);"},
    SmallProgram{
        "sorting",
        "$a = [$i, 2, 0]; sort($a); $b = ['z' => $i, 'y' => 1]; asort($b); echo json_encode([$a, $b]);"},
    SmallProgram{"sorting by a callback",
                 "$a = [[$i + 1, 'p'], [0, 'q'], [$i + 9, 'r']]; usort($a, fn($p, $q) => $p[0] <=> $q[0]); "
                 "echo json_encode($a);"},
    SmallProgram{
        "sorting differently",
        "$a = [[$i, 'p'], [2, 'q']]; usort($a, fn($p, $q) => $p[0] <=> $q[0]); echo json_encode($a);"},
    SmallProgram{
        "filtering",
        "echo json_encode([array_filter([$x, 'b', $i]), array_filter([$i, 20], fn($v) => $v > 1)]);"},
    SmallProgram{"mapping",
                 "echo implode(array_map(fn($v) => $v . '!', [$x, 'm'])), implode(array_map('strtoupper', "
                 "[$x, $y])), implode(array_map(null, [$i]));"},
    SmallProgram{"callbacks of patterns",
                 "echo preg_replace_callback('/[a-z]/', fn($m) => $m[0] . '.', \"$x $y\");"},
    SmallProgram{"results by reference",
                 "preg_match('/(.)(.*)/', $x . $y, $m); echo json_encode($m); parse_str(\"k=$x&l=1\", $q); "
                 "echo json_encode($q);"},
    SmallProgram{"conversion in place", "$v = $i; settype($v, 'string'); var_dump($v);"},
    SmallProgram{"formats",
                 "echo sprintf('%05d %s %.2f', $i, $x, $i / 3), number_format($i * 1000), json_encode(['k' "
                 "=> [$x, $i]]);"},
    SmallProgram{
        "printing",
        "printf('%s|', $x); print_r([$y, 1]); var_dump($i); var_export([$x]); echo print_r($x, true);"},
    SmallProgram{
        "numbers of objects",
        "$a = new stdClass; $t = $x . 'm'; $b = new stdClass; unset($a); $t = $y . 'n'; $c = new stdClass; "
        "echo spl_object_id($b), spl_object_id($c); var_dump($c);"},
    SmallProgram{"reused numbers of objects",
                 "for ($k = 0; $k < 5; $k++) { $o = new stdClass; $o->v = $x . $k; echo spl_object_id($o); "
                 "$p = clone $o; echo "
                 "spl_object_id($p); }"},
    SmallProgram{"destructors at the end",
                 "class D { public $v; function __construct($v) { $this->v = $v; } function __destruct() { "
                 "echo $this->v; } } "
                 "$a = new D('a'); $t = $x . '1'; $b = new D($x); $a = null; $t .= $y; $c = new D('c'); $d = "
                 "new D($t);"},
    SmallProgram{"functions at the end",
                 "register_shutdown_function(function($v) { echo 'end', $v; }, $x); echo 'go';"},
    SmallProgram{"buffers",
                 "ob_start(); echo $x; ob_start(); echo 'in', $y; ob_end_flush(); echo "
                 "strlen(ob_get_contents()); $t = ob_get_clean(); echo "
                 "strrev($t), ob_get_level();"},
    SmallProgram{"a buffer with a callback",
                 "ob_start(fn($t) => strtoupper($t) . strlen($t)); echo 'a', $x, 'b', $y;"},
    SmallProgram{"a buffer that is thrown away",
                 "echo 'p'; ob_start(); echo $x; ob_end_clean(); echo 'q', $y;"},
    SmallProgram{"headers after output",
                 "echo $x; set_error_handler(function($no, $m) { echo 'late'; return true; }); header('A: "
                 "b'); echo headers_sent() ? 1 : 0;"},
    SmallProgram{"no output at first", "echo $n; header('A: b'); echo 'x';"},
    SmallProgram{"a clock",
                 "echo date('Y'), time() - $_SERVER['REQUEST_TIME'], $_SERVER['REQUEST_TIME'] > 5 ? 'late' : "
                 "'early', microtime(true);"},
    SmallProgram{"a clock in C code",
                 "echo (new DateTime('now'))->format('s'); setcookie('a', 'b', 1800000000);"},
    SmallProgram{"chance alone", "echo mt_rand(1, 100000);"},
    SmallProgram{"chance", "echo mt_rand(1, 1000), shuffle($GLOBALS['argv']), lcg_value();"},
    SmallProgram{"a number that is none",
                 "$f = [NAN, 1.5][$i % 2]; $a = [$f]; $b = [$f]; echo json_encode($a == $b);"},
    SmallProgram{"floats", "echo $i / 3, ' ', 0.1 + $i, ' ', -0.0 * $i, ' ', 1e20 * $i;"},
    SmallProgram{"going different ways", "if ($i > 1) echo 'more'; else echo 'less';"},
    SmallProgram{"a loop of different length", "for ($k = 0; $k < $i; $k++) echo $k;"},
    SmallProgram{"a match of different arms", "echo match($x) { 'a' => 1, 'b' => 2, default => 3 };"},
    SmallProgram{"a switch of different arms",
                 "switch ($x) { case 'a': echo 1; break; case 'b': echo 2; break; default: echo 3; }"},
    SmallProgram{"code from a string", "eval('echo isset($n) ? 1 : 0, $x;');"},
    SmallProgram{"reflection", "$f = new ReflectionFunction('strlen'); echo $f->getName(), $x;"},
    SmallProgram{
        "the class is not there",
        "echo json_encode([class_exists('Assay\\\\Multivalue'), count(get_declared_classes()) > 0]);"},
    SmallProgram{"serializing",
                 "echo serialize([$x, $i]), json_encode(unserialize(serialize(['k' => $y])));"},
    SmallProgram{"serializing objects",
                 "$o = new stdClass; $o->v = $x; echo serialize($o), json_encode($o);"},
    SmallProgram{"objects from text", "echo json_decode(json_encode(['v' => $x]))->v;"},
};

}  // namespace assay::php::testing
