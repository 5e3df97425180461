// More of them: what asks the world, and what goes over, writes into and computes with containers that differ.
#pragma once

#include <array>

#include "superpose/superpose_programs.hpp"

namespace assay::php::testing {

inline constexpr std::array kWorldlyPrograms = {
    SmallProgram{"a loop over keys that differ",
                 "$a = [$x => 1, 'z' . $y => 2]; foreach ($a as $k => $v) echo $k, $v; foreach ($a as $v2) "
                 "echo $v2; echo $k;"},
    SmallProgram{"a loop over keys that differ in a loop",
                 "foreach ([1, 2] as $o) { foreach ([$x => $o, 'k' . $i => $y] as $k => $v) { if ($v === 2) "
                 "continue; echo $o, $k, $v; } }"},
    SmallProgram{"a loop over keys that differ, left early",
                 "function f($a) { foreach ($a as $k => $v) { return $k . $v; } } echo f([$x => $y, 'q' . $x "
                 "=> 1]), f([$i => 2]);"},
    SmallProgram{"a loop that takes rows apart",
                 "foreach ([$x => ['p' => $y, 'q' => 1], 'w' . $i => ['p' => 2, 'q' => $i]] as $k => ['p' => "
                 "$p, 'q' => $q]) echo $k, $p, $q;"},
    SmallProgram{"loops of different lengths",
                 "foreach (explode(',', str_repeat('a,', $i)) as $k => $v) echo $k, $v;"},
    SmallProgram{"an array changed while a loop goes over it",
                 "$a = [$x => 1, 'n' . $y => 2]; foreach ($a as $k => $v) { $a[$k . '!'] = $v; "
                 "unset($a[$k]); } echo json_encode($a);"},
    SmallProgram{"a nested write under a key that differs",
                 "$a = []; $a[$x]['in'] = $y; $b = $a; $b[$x]['in'] = 'other'; echo json_encode([$a, $b]);"},
    SmallProgram{"a nested write at the end",
                 "$a = ['q' => []]; $a[$x][] = 1; $a[$x][] = $i; $a['q'][] = $y; $c = $a; $c[$x][] = 3; echo "
                 "json_encode([$a, $c]);"},
    SmallProgram{
        "a nested write into a copy",
        "$a = ['k' => [$x => [1]]]; $b = $a; $b['k'][$x][$y]['deep'] = $i; echo json_encode([$a, $b]);"},
    SmallProgram{"a nested write through a property",
                 "class P { public array $l = []; } $p = new P; $p->l[$x]['v'] = $y; $p->l[$x]['w'] = 1; "
                 "echo json_encode($p->l);"},
    SmallProgram{"a nested write of a part of itself",
                 "$a = [$x => ['v' => 1]]; $a[$x]['me'] = $a; echo json_encode($a);"},
    SmallProgram{"a nested write into text",
                 "$a = [$x => 'text']; $a[$x][0][1] = 'T'; echo json_encode($a);"},
    SmallProgram{"computing under a key that differs",
                 "$a = ['a' => 1, 'b' => 2, 'c' => 3]; $b = $a; $a[$x] += $i; $a[$x] .= $y; echo "
                 "json_encode([$a, $b]);"},
    SmallProgram{"computing under a key that is missing",
                 "$a = ['a' => 1]; $a[$x] .= 'z'; echo json_encode($a);"},
    SmallProgram{
        "further arguments of a type",
        "function f(string ...$all) { return implode(',', $all); } echo f('p', $x, $y), f($x), f();"},
    SmallProgram{"further arguments that must be converted",
                 "function f(int ...$all) { return array_sum($all); } echo f(1, (string) $i), f('2', $i);"},
    SmallProgram{
        "further arguments of another type",
        "function f(int ...$all) { return 1; } try { echo f($i, $x); } catch (TypeError $e) { echo 'no'; }"},
    SmallProgram{"a generator's keys",
                 "function g($k) { yield $k => 1; yield 'z' . $k => 2; } foreach (g($x) as $k => $v) echo "
                 "$k, $v; echo json_encode(iterator_to_array(g($i)));"},
    SmallProgram{"a generator that counts on",
                 "function g($k) { yield $k => 'a'; yield 'b'; } foreach (g($i) as $k => $v) echo $k, $v;"},
    SmallProgram{"replacing by a callback",
                 "echo preg_replace_callback('/[a-z]/', fn ($m) => '<' . $m[0] . '>', $x . '-' . $y);"},
    SmallProgram{"replacing by a callback, unlike often",
                 "echo preg_replace_callback('/(\\d)(x)?/', fn (array $m): string => '[' . $m[1] . ']', "
                 "str_repeat('7', $i) . $x);"},
    SmallProgram{"replacing by a callback that counts",
                 "$c = 0; echo preg_replace_callback('/q/', function ($m) use (&$c) { $c++; return 'Q'; }, "
                 "str_repeat('q', $i)); echo $c;"},
    SmallProgram{"replacing by a callback that counts in a static",
                 "echo preg_replace_callback('/q/', function ($m) { static $c = 0; return (string) ++$c; }, "
                 "str_repeat('q', $i));"},
    SmallProgram{"replacing by a callback that throws",
                 "try { echo preg_replace_callback('/./', function ($m) { throw new Exception($m[0]); }, "
                 "$x); } catch (Exception $e) { echo 'thrown', $e->getMessage(); }"},
    SmallProgram{
        "replacing with groups that differ",
        "echo preg_replace_callback('/(?<l>[ab])?(c)?(q|r|s|b)/', fn ($m) => count($m) . $m[0], $x . $y);"},
    SmallProgram{"a date",
                 "$d = new DateTime('@' . ($i * 86400)); echo $d->format('Y-m-d'); $d->modify('+1 day'); "
                 "echo $d->format('d'), $d->getTimestamp();"},
    SmallProgram{"a date that cannot be changed",
                 "$d = new DateTimeImmutable('2020-01-0' . $i); $e = $d->modify('+1 month'); echo "
                 "$d->format('c'), $e->format('c');"},
    SmallProgram{"a date that begins the same",
                 "$d = new DateTimeImmutable('2020-01-01'); $e = $d->setTimestamp($i); $f = $d->setTime(1, "
                 "2); echo $d->format('c'), $e->format('c'), $f->format('c');"},
    SmallProgram{"the difference of dates",
                 "$a = new DateTime('2020-01-01'); $b = new DateTime('2020-01-1' . $i); $d = $a->diff($b); "
                 "echo $d->days, $d->format('%a'), $d->d;"},
    SmallProgram{"dates compared",
                 "$a = new DateTime('2020-01-02'); $b = new DateTime('2020-01-0' . $i); echo $a < $b ? "
                 "'less' : 'not';"},
    SmallProgram{"a date copied",
                 "$a = new DateTime('2020-01-0' . $i); $b = clone $a; $b->modify('+1 day'); echo "
                 "$a->format('d'), $b->format('d');"},
    SmallProgram{"a date shown", "$a = new DateTime('2020-01-0' . $i); echo json_encode($a), serialize($a);"},
    SmallProgram{"a date in a zone",
                 "$z = new DateTimeZone('Europe/Paris'); $a = new DateTime('2020-01-0' . $i, $z); echo "
                 "$a->getTimezone()->getName(), $a->format('c'), $a->getOffset();"},
    SmallProgram{"the date of now",
                 "echo (new DateTime('now'))->format('U'), (new DateTimeImmutable())->getTimestamp();"},
    SmallProgram{"objects after dates",
                 "$o = []; for ($j = 0; $j < 3; $j++) { $d = new DateTime('@' . $i); $o[] = new stdClass; } "
                 "unset($d); $p = new stdClass; echo json_encode(array_map('spl_object_id', [...$o, $p]));"},
    SmallProgram{"chance",
                 "echo mt_rand(1, 1000), rand(1, 1000), mt_getrandmax(); mt_srand($i); echo mt_rand(), "
                 "mt_rand(0, 9);"},
    SmallProgram{"chance of order",
                 "$a = [1, 2, 3, 4, 5, $x]; shuffle($a); echo json_encode($a), array_rand([1, 2, 3, 4]), "
                 "str_shuffle('abcdef');"},
    SmallProgram{"headers that differ",
                 "header('X-One: ' . $x); header('X-Two: same'); header('X-One: ' . $y, false); "
                 "http_response_code(200 + $i); setcookie('c', $x, 5); echo json_encode(headers_list()), "
                 "http_response_code();"},
    SmallProgram{"headers taken away",
                 "header('X-One: ' . $x); header('X-Two: ' . $i); header_remove('X-One'); "
                 "header_remove('X-Powered-By'); echo 'body';"},
    SmallProgram{
        "the state of a buffer",
        "ob_start(); echo $x; $s = ob_get_status(); ob_end_clean(); echo json_encode($s['buffer_used']);"},
    SmallProgram{"a header and no body", "header('Location: /' . $x, true, 303);"},
    SmallProgram{"a session",
                 "ini_set('session.save_handler', 'assay'); session_id('id' . $i); "
                 "session_start(['use_cookies' => 0]); $_SESSION['x'] = $x; $_SESSION['l'][$y] = $i; echo "
                 "json_encode($_SESSION), session_id(), session_status(), SID;"},
    SmallProgram{"a session that ends early",
                 "ini_set('session.save_handler', 'assay'); session_id('id' . $x); session_start(); "
                 "$_SESSION['x'] = $x; session_write_close(); $_SESSION['x'] = 'late'; echo "
                 "json_encode($_SESSION); session_start(); echo json_encode($_SESSION);"},
    SmallProgram{
        "a session that is destroyed",
        "ini_set('session.save_handler', 'assay'); session_id('id' . $x); session_start(); $_SESSION = "
        "['new' => $y]; session_destroy(); echo json_encode([$_SESSION, session_status(), session_id()]);"},
    SmallProgram{"a session whose variable is taken away",
                 "ini_set('session.save_handler', 'assay'); session_id('s' . $x); session_start(); "
                 "unset($_SESSION); echo 'gone';"},
    SmallProgram{"a database",
                 "$d = new PDO('sqlite:/tmp/none'); $s = $d->prepare('SELECT ? AS v'); $s->execute([$x]); "
                 "echo json_encode($s->fetchAll(PDO::FETCH_ASSOC)), $s->rowCount(), $s->columnCount(); "
                 "$s->execute([$i]); while ($r = $s->fetch()) echo json_encode($r);"},
    SmallProgram{"a database asked by text",
                 "$d = new PDO('sqlite:/tmp/none'); $s = $d->query('SELECT ' . $i); echo $s->queryString, "
                 "$s->fetchColumn(), $s->fetchColumn(1); echo $d->exec('INSERT ' . $x), $d->lastInsertId(), "
                 "$d->quote($y . \"'\");"},
    SmallProgram{
        "a database with named parameters",
        "$d = new PDO('sqlite:/tmp/none'); $s = $d->prepare('SELECT :a, :b, :c'); $s->bindValue(':a', $i, "
        "PDO::PARAM_INT); $s->bindValue('b', $n); $s->bindValue(':c', $i > 0, PDO::PARAM_BOOL); "
        "$s->execute(); echo json_encode($s->fetchAll(PDO::FETCH_NUM)); $s->bindValue(':a', (string) $i); "
        "$s->execute(); echo json_encode($s->fetchAll(PDO::FETCH_COLUMN));"},
    SmallProgram{"a database's rows as objects",
                 "class R { public int $id; public string $name; public ?string $same = null; } $d = new "
                 "PDO('sqlite:/tmp/none'); $s = $d->query('SELECT ' . $i); $l = "
                 "$s->fetchAll(PDO::FETCH_CLASS, R::class); foreach ($l as $r) echo $r->id, $r->name, "
                 "$r->same; $s = $d->query('SELECT ' . $y); $o = $s->fetchObject(); echo $o->name, "
                 "json_encode($s->fetchAll(PDO::FETCH_OBJ)), spl_object_id(new stdClass);"},
    SmallProgram{"a database's rows by key",
                 "$d = new PDO('sqlite:/tmp/none'); $s = $d->query('SELECT ' . $i); echo "
                 "json_encode($s->fetchAll(PDO::FETCH_UNIQUE | PDO::FETCH_ASSOC)); $s = $d->query('SELECT 2' "
                 ". $i); echo json_encode($s->fetchAll(PDO::FETCH_GROUP | PDO::FETCH_COLUMN));"},
    SmallProgram{
        "a loop over a database's rows",
        "$d = new PDO('sqlite:/tmp/none', null, null, [PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC]); "
        "foreach ($d->query('SELECT ' . $x) as $k => ['id' => $id, 'name' => $name]) echo $k, $id, $name;"},
    SmallProgram{"a loop over a database's lazy rows",
                 "$d = new PDO('sqlite:/tmp/none'); foreach ($d->query('SELECT ' . $x, PDO::FETCH_LAZY) as "
                 "$r) echo $r->id, isset($r->name) ? 1 : 0;"},
    SmallProgram{"a database that converts",
                 "$d = new PDO('sqlite:/tmp/none'); $d->setAttribute(PDO::ATTR_STRINGIFY_FETCHES, true); "
                 "echo json_encode($d->query('SELECT ' . $i)->fetchAll());"},
    SmallProgram{"a database whose variables are bound",
                 "$d = new PDO('sqlite:/tmp/none'); $s = $d->prepare('SELECT ?'); $v = $x; $s->bindParam(1, "
                 "$v); $s->execute(); $v = $y; $s->execute(); echo json_encode($s->fetch());"},
    SmallProgram{
        "a transaction",
        "$d = new PDO('sqlite:/tmp/none'); $d->beginTransaction(); $d->prepare('INSERT ?')->execute([$x]); "
        "echo $d->inTransaction() ? 'in' : 'out', $d->lastInsertId(); $d->commit();"},
    SmallProgram{"a transaction that is left open",
                 "$d = new PDO('sqlite:/tmp/none'); $d->beginTransaction(); echo $d->exec('INSERT ' . $x . "
                 "'; INSERT 2'), $x;"},
    SmallProgram{"arrays of different lengths mapped",
                 "echo json_encode(array_map('trim', explode(',', str_repeat(' a,', $i)))), "
                 "json_encode(array_filter([$x => 1, 'k' . $i => 0])), json_encode(array_map(null, "
                 "explode(',', str_repeat('b,', $i))));"},
    SmallProgram{"arrays of different lengths mapped by the program",
                 "echo json_encode(array_map(fn ($e) => $e . '!', explode(',', str_repeat('a,', $i))));"},
    SmallProgram{
        "objects made of text",
        "class R { public $v; public ?R $next = null; } $r = new R; $r->next = new R; $r->next->v = 1; $t = "
        "str_replace('i:1;', 'i:' . $i . ';', serialize([$r, new R])); $o = unserialize($t); $p = new "
        "stdClass; echo $o[0]->next->v, spl_object_id($o[1]), spl_object_id($p), json_encode($o);"},
    SmallProgram{"objects made of text with a destructor",
                 "class D { public $v; function __destruct() { echo 'd', $this->v; } } $o = "
                 "unserialize(str_replace('N;', 'i:' . $i . ';', serialize(new D))); echo $o->v;"},
    SmallProgram{"objects made of text that know each other",
                 "$a = new stdClass; $a->me = $a; $a->v = 1; $o = unserialize(str_replace('i:1;', 'i:' . $i "
                 ". ';', serialize($a))); echo $o->v, $o->me === $o ? 'same' : 'other';"},
    SmallProgram{"destructors in order",
                 "class D { function __construct(public $v) {} function __destruct() { echo $this->v; } } $t "
                 "= array_map(fn ($j) => unserialize(str_replace('i:1;', 'i:' . $i . ';', "
                 "'O:8:\"stdClass\":1:{s:1:\"v\";i:1;}')), [1, 2]); $l = [new D('p'), new D('q')]; "
                 "unset($t); $m = [new D('r'), new D('s' . $x)];"},
    SmallProgram{"the environment",
                 "echo json_encode([getenv('QUERY_STRING'), getenv('REQUEST_METHOD'), getenv('NONE'), "
                 "getenv('NONE' . $x)]), strlen(getenv('QUERY_STRING')) > 3 ? 'long' : 'short';"},
    SmallProgram{"the environment under a name that differs",
                 "echo json_encode(getenv(['QUERY_STRING', 'REQUEST_METHOD', 'NONE'][$i % 3]));"},
};

}  // namespace assay::php::testing
