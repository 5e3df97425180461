#include "superpose/random_program.hpp"

#include <random>

namespace assay::php::testing {

namespace {

class Author {
 public:
  explicit Author(std::uint64_t seed) : random_(seed) {}

  std::string write() {
    std::string text =  // small limits, for what grows without end is slow
        "error_reporting(E_ALL); ini_set('precision', '14'); ini_set('memory_limit', '8M');\n"
        "$x = $_GET['x']; $y = $_GET['y']; $i = (int) $_GET['i']; $u = (int) $_GET['u'];\n"
        "$n = [null, 'v', 'w'][$i % 3];\n" +
        types() +
        "$s1 = 'one'; $s2 = $x; $i1 = 3; $i2 = $i; $l1 = [1, $i, 3]; $l2 = [$x, 'm', $y]; $a1 = ['k' => $x, "
        "'m' => 'b'];\n"
        "$a2 = ['p' => $i, 'q' => 5]; $o1 = new Box(2, 'w'); $o2 = new Box($i, $x);\n";
    const unsigned length = 4 + below(14);
    for (unsigned n = 0; n < length; ++n) {
      text += statement(2);
      // What doubles in loops would grow without end.
      text +=
          "$s1 = substr($s1, 0, 50); $s2 = substr($s2, 0, 50); $l1 = array_slice($l1, 0, 6); $o2->s = "
          "substr($o2->s, 0, 50);\n";
    }
    return text +
           "echo \"\\n\", json_encode([$s1, $s2, $i1, $i2, $l1, $l2, $a1, $a2]), $o1, $o2, $o1->n, ' ', "
           "$o2->n, ' ', "
           "$o2->s;\n"
           "print_r($l1); var_dump($i2, $s2, $a1);\n";
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <std::size_t N>
  std::string one_of(const char* const (&words)[N]) {
    return words[below(N)];
  }

  std::string types() {
    const char* strict = chance(50) ? "int $n, string $s" : "$n, $s";
    return std::string(
               "class Box { public int $n; public string $s; public $any = null; public static $count = "
               "0; ") +
           (chance(50) ? "private ?string $note = 'z'; " : "protected $note; ") + "function __construct(" +
           strict + ") { $this->n = " + (chance(50) ? "$n" : "$n + 1") +
           "; $this->s = $s; self::$count++; }\n"
           "  function add(int $k = 1, string $t = ''): int { $this->n += $k; $this->s .= $t; return "
           "$this->n; }\n"
           "  function __toString(): string { return \"<{$this->s}:$this->n>\"; }\n"
           "  function __get($name) { return $name . $this->s; }\n"
           "  function with(string $s): static { $c = clone $this; $c->s = $s; return $c; } }\n"
           "class Fault extends RuntimeException { function __construct(string $m, public int $code2 = 7) { "
           "parent::__construct($m); } }\n"
           "function twice(" +
           std::string(chance(50) ? "int " : "") +
           "$v) { return $v + $v; }\n"
           "function join2(string $a, ?string $b = null, string ...$rest): string { return $a . ($b ?? '-') "
           ". implode('', "
           "$rest); }\n"
           "function grow(array &$list, $item): void { $list[] = $item; }\n"
           "function counted() { static $c = 0; return ++$c; }\n"
           "function steps($from, $to) { for ($k = 0; $k < 3; $k++) { yield $from . $k; } return $to; }\n"
           "function loose(float $f, $g = 2) { return $f * $g; }\n";
  }

  std::string integer(int depth) {
    if (depth <= 0)
      return one_of({"1", "2", "7", "$i1", "$i2", "$i", "$u", "$l1[0]", "$a2['q']", "$o1->n", "$o2->n"});
    switch (below(18)) {
      case 0:
        return "(" + integer(depth - 1) + one_of({" + ", " - ", " * ", " & ", " | ", " ^ ", " <=> "}) +
               integer(depth - 1) + ")";
      case 1:
        return "strlen(" + text(depth - 1) + ")";
      case 2:
        return "count(" + list(depth - 1) + ")";
      case 3:
        return "(int) " + text(0);
      case 4:
        return "(" + integer(depth - 1) + " % " + one_of({"3", "5", "11"}) + ")";
      case 5:
        return one_of({"max(", "min("}) + integer(depth - 1) + ", " + integer(depth - 1) + ")";
      case 6:
        return "intdiv(" + integer(depth - 1) + ", " + one_of({"2", "3"}) + ")";
      case 7:
        return "twice(" + integer(depth - 1) + ")";
      case 8:
        return "ord(" + text(depth - 1) + ")";
      case 9:
        return "($o" + one_of({"1", "2"}) + "->add(" + (chance(50) ? integer(depth - 1) : "") + "))";
      case 10:
        return "counted()";
      case 11:
        return "abs(" + integer(depth - 1) + ")";
      case 12:
        return "array_sum(" + std::string(chance(50) ? "$l1" : "$a2") + ")";
      case 13:
        return "(int) (" + condition(depth - 1) + ")";
      case 14:
        return "crc32(" + text(depth - 1) + ")";
      case 15:
        return "array_reduce($l1, fn($c, $v) => $c + (int) $v, " + integer(0) + ")";
      case 16:
        return "(" + integer(depth - 1) + " ?: " + integer(0) + ")";
      default:
        return integer(0);
    }
  }

  std::string text(int depth) {
    if (depth <= 0)
      return one_of({"'lit'", "'b'", "$s1", "$s2", "$x", "$y", "$l2[0]", "$a1['k']", "$o2->s", "'12'",
                     "$l2[2]", "$a1['m']", "getenv('QUERY_STRING')"});
    switch (below(24)) {
      case 0:
        return "(" + text(depth - 1) + " . " + text(depth - 1) + ")";
      case 1:
        return "\"<{$x}-$i2:{$a1['k']}/$s1 {$o1->n}>\"";
      case 2:
        return one_of({"strtoupper(", "ucfirst(", "strrev(", "trim(", "htmlspecialchars(", "md5(", "bin2hex(",
                       "rawurlencode(", "nl2br(", "ucwords(", "addslashes("}) +
               text(depth - 1) + ")";
      case 3:
        return "substr(" + text(depth - 1) + ", " + one_of({"0, 2", "1", "-1", "0, 3"}) + ")";
      case 4:
        return "str_repeat(" + text(0) + ", 2)";
      case 5:
        return "sprintf('%s-%d-%05.1f', " + text(depth - 1) + ", " + integer(depth - 1) + ", " + integer(0) +
               ")";
      case 6:
        return "implode(" + std::string(chance(50) ? "','" : "$x") + ", " + list(depth - 1) + ")";
      case 7:
        return "(string) " + integer(depth - 1);
      case 8:
        return "str_replace(" + text(0) + ", " + text(0) + ", " + text(depth - 1) + ")";
      case 9:
        return "preg_replace('/[a-c]+/', '<$0>', " + text(depth - 1) + ")";
      case 10:
        return "json_encode(" + (chance(50) ? list(depth - 1) : map(depth - 1)) + ")";
      case 11:
        return "(string) $o" + one_of({"1", "2"});
      case 12:
        return "($o" + one_of({"1", "2"}) + " . " + text(0) + ")";
      case 13:
        return "join2(" + text(depth - 1) + (chance(60) ? ", " + text(0) : "") + ")";
      case 14:
        return "join2(" + text(0) + ", b: " + text(0) + ")";
      case 15:
        return "(" + uniform_condition() + " ? " + text(depth - 1) + " : " + text(depth - 1) + ")";
      case 16:
        return "($o1->with(" + text(0) + ")->s)";
      case 17:
        return "$o" + one_of({"1", "2"}) + "->" + one_of({"missing", "nothing"});
      case 18:
        return "(function() use ($x) { return $x . '" + one_of({"!", "?"}) + "'; })()";
      case 19:
        return "str_pad(" + text(0) + ", 6, '*')";
      case 20:
        return "($a1['" + one_of({"k", "m", "zz"}) + "'] ?? " + text(0) + ")";
      case 21:
        return "(" + std::string("match(true) { ") + uniform_condition() + " => " + text(0) +
               ", default => " + text(0) + " })";
      case 22:
        return chance(50) ? "($n ?? 'none')" : "gettype(" + integer(0) + ")";
      default:
        return text(0);
    }
  }

  std::string list(int depth) {
    if (depth <= 0) return one_of({"$l1", "$l2", "[1, 2]", "[$x, $i]"});
    switch (below(14)) {
      case 0:
        return "[" + integer(depth - 1) + ", " + text(depth - 1) + ", " + integer(0) + "]";
      case 1:
        return "array_merge(" + list(depth - 1) + ", " + list(depth - 1) + ")";
      case 2:
        return "array_map(fn($v) => $v . " + text(0) + ", " + list(depth - 1) + ")";
      case 3:
        return "array_slice(" + list(depth - 1) + ", 0, 2)";
      case 4:
        return "array_reverse(" + list(depth - 1) + ")";
      case 5:
        return "explode(',', $x . ',' . $y)";
      case 6:
        return "array_values(" + map(depth - 1) + ")";
      case 7:
        return "array_keys(" + map(depth - 1) + ")";
      case 8:
        return "array_map('strtoupper', $l2)";
      case 9:
        return "[..." + list(depth - 1) + ", " + text(0) + "]";
      case 10:
        return "array_filter(" + list(depth - 1) + ", fn($v) => $v !== 'zzz')";
      case 11:
        return "iterator_to_array(steps(" + text(0) + ", 1), false)";
      case 12:
        return "array_unique(" + list(depth - 1) + ")";
      default:
        return list(0);
    }
  }

  std::string map(int depth) {
    if (depth <= 0) return one_of({"$a1", "$a2", "['k' => 1]", "['k' => $x, 'd' => ['e' => $i]]"});
    switch (below(7)) {
      case 0:
        return "['k' => " + text(depth - 1) + ", 'v' => " + integer(depth - 1) + "]";
      case 1:
        return "[" + text(0) + " => " + integer(depth - 1) + "]";
      case 2:
        return "array_flip(['a' => 'x', 'b' => " + text(0) + "])";
      case 3:
        return "(" + map(depth - 1) + " + " + map(0) + ")";
      case 4:
        return "array_combine(['k', 'j'], [" + text(0) + ", " + integer(0) + "])";
      case 5:
        return "array_merge(" + map(depth - 1) + ", ['k' => " + text(0) + "])";
      default:
        return map(0);
    }
  }

  std::string uniform_condition() {
    return one_of({"$u > 2", "$u === 3", "$i1 < 100", "true", "isset($l1)", "!empty($s1)"});
  }
  std::string condition(int depth) {
    if (chance(60)) return uniform_condition();
    switch (below(11)) {
      case 0:
        return integer(depth) + one_of({" < ", " == ", " === ", " != "}) + integer(depth);
      case 1:
        return text(depth) + one_of({" == ", " === ", " !== ", " < "}) + text(depth);
      case 2:
        return "isset($a1['" + one_of({"k", "zz"}) + "'])";
      case 3:
        return "in_array(" + text(0) + ", " + one_of({"$l2", "['a', 'b']"}) + (chance(50) ? ", true" : "") +
               ")";
      case 4:
        return one_of({"empty($n)", "isset($n)", "isset($o2->any)", "empty($a2['p'])", "is_string($x)",
                       "isset($o1->s)"});
      case 5:
        return "str_contains(" + text(0) + ", " + text(0) + ")";
      case 6:
        return list(0) + one_of({" == ", " === "}) + list(0);
      case 7:
        return "array_key_exists(" + text(0) + ", $a1)";
      case 8:
        return "$o1 == $o2";
      case 9:
        return "ctype_digit(" + text(0) + ")";
      default:
        return "preg_match('/^[a-z]/', " + text(0) + ")";
    }
  }

  std::string block(int depth) {
    std::string text = "{ ";
    for (unsigned n = 1 + below(2); n > 0; --n) text += statement(depth - 1);
    return text + "}\n";
  }

  // Loops lie in loops, and must end.
  std::string loop(int depth) {
    const std::string k = "$k" + std::to_string(++loops_);
    return "for (" + k + " = 0; " + k + " < " + one_of({"2", "3", "$u"}) + "; " + k + "++) " + block(depth);
  }

  std::string assignment() {
    switch (below(20)) {
      case 0:
        return "$s" + one_of({"1", "2"}) + " = " + text(2) + ";";
      case 1:
        return "$i" + one_of({"1", "2"}) + " = " + integer(2) + ";";
      case 2:
        return "$l1 = " + list(2) + ";";
      case 3:
        return "$s" + one_of({"1", "2"}) + " .= " + text(1) + ";";
      case 4:
        return "$i" + one_of({"1", "2"}) + one_of({" += ", " -= ", " *= ", " -= "}) + integer(1) + ";";
      case 5:
        return "$l1[] = " + (chance(50) ? text(1) : integer(1)) + ";";
      case 6:
        return "$a1['" + one_of({"k", "m", "new"}) + "'] = " + text(1) + ";";
      case 7:
        return "$a" + one_of({"1", "2"}) + "[" + text(0) + "] = " + integer(1) + ";";
      case 8:
        return "$a2['p'] " + one_of({"+=", "-=", ".="}) + " " + integer(1) + ";";
      case 9:
        return one_of({"$i1++;", "$i2++;", "--$i2;", "$o2->n++;", "++$o1->n;", "$s2++;", "$a2['q']++;",
                       "Box::$count++;"});
      case 10:
        return "$o" + one_of({"1", "2"}) + "->" + (chance(50) ? "n = " + integer(1) : "s = " + text(1)) + ";";
      case 11:
        return "$o" + one_of({"1", "2"}) + "->any = " + (chance(50) ? text(1) : list(1)) + ";";
      case 12:
        return "[$s1, $s2] = [" + text(1) + ", " + text(1) + "];";
      case 13:
        return "['k' => $s1] = $a1 + ['k' => 'd'];";
      case 14:
        return "$r = &$" + one_of({"s1", "i2", "l1[0]", "a1['k']", "o2->any"}) + "; $r = " + text(1) +
               "; unset($r);";
      case 15:
        return "unset($a1[" + text(0) + "]);";
      case 16:
        return "grow($l1, " + text(1) + ");";
      case 17:
        return one_of({"sort($l1);", "rsort($l2);", "ksort($a1);", "array_push($l2, $x, $i);",
                       "$s1 = array_pop($l2) ?? '';", "array_unshift($l1, $y);",
                       "usort($l1, fn($p, $q) => strcmp((string) $p, (string) $q));", "array_shift($l1);",
                       "shuffle($l1);", "natsort($l2);", "$a1 = array_reverse($a1);"});
      case 18:
        return "$l2[" + one_of({"0", "1", "$u", "$i2"}) + "] = " + text(1) + ";";
      default:
        return "$a1['d'][" + (chance(60) ? "'e'" : text(0)) + "] = " + integer(1) + ";";
    }
  }

  std::string statement(int depth) {
    if (depth <= 0 || chance(55)) return assignment() + "\n";
    switch (below(16)) {
      case 0:
        return "if (" + condition(1) + ") " + block(depth) + (chance(50) ? "else " + block(depth) : "");
      case 1:
        return "foreach (" + list(1) + " as $key => $v) { $s1 .= $v . $key; " +
               (chance(30) ? "$i1 += $key; " : "") + "}\n";
      case 2:
        return "foreach ($l2 as &$ref) { $ref .= " + text(0) + "; } unset($ref);\n";
      case 3:
        return loop(depth);
      case 4:
        return "switch (" + (chance(50) ? text(0) : integer(0)) +
               ") { case 'a': case 3: $s1 .= 'A'; break; case " + text(0) +
               ": $i1++; break; default: $s2 .= 'D'; }\n";
      case 5:
        return "try { if (" + condition(1) + ") throw new " + one_of({"Fault(", "LogicException("}) +
               text(1) +
               "); $i1++; } catch (Fault $e) { echo $e->getMessage(), $e->code2; } catch (Exception $e) { "
               "$s1 .= "
               "$e->getMessage(); } " +
               (chance(40) ? "finally { $i1 += 2; }" : "") + "\n";
      case 6:
        return "echo " + text(2) + ", ' ', " + integer(1) + ";\n";
      case 7:
        return "printf('%s|%d ', " + text(1) + ", " + integer(1) + ");\n";
      case 8:
        return "ob_start(); echo " + text(1) + "; " + (chance(50) ? "echo 'flat'; " : "") +
               "$s2 = " + one_of({"ob_get_clean()", "strlen(ob_get_clean()) . 'c'"}) + ";\n";
      case 9:
        return "$f = function($v) use (&$s1, $i) { $s1 .= $v; return $v . $i; }; $s2 = $f(" + text(1) +
               ");\n";
      case 10:
        return "foreach (steps(" + text(0) + ", " + integer(0) + ") as $k => $v) $s2 .= $k . $v;\n";
      case 11:
        return "foreach (" + map(1) + " as $k => $v) { if (is_scalar($v)) $s2 .= \"$k=$v;\"; }\n";
      case 12:
        return "$i1 = match(" + (chance(70) ? std::string("$u % 3") : integer(0)) + ") { 0 => " + integer(1) +
               ", 1 => " + integer(1) + ", default => " + integer(0) + " };\n";
      case 13:
        return "$c = clone $o2; $c->s = " + text(1) + "; $o1->any = [$c->s, $o2->s]; echo loose(" +
               integer(1) + ");\n";
      case 14:
        return "$s1 = " + text(1) +
               "; $w = 's1'; echo strlen($s1) > 0 ? $s1[0] : '', isset($s1[1]) ? $s1[1] : '-';\n";
      default:
        return "$i2 = " + integer(1) + "; settype($i2, '" + one_of({"string", "integer"}) +
               "'); $i2 = (int) $i2;\n";
    }
  }

  std::mt19937_64 random_;
  unsigned loops_ = 0;
};

}  // namespace

std::string random_program(std::uint64_t seed) {
  return Author(seed).write();
}

std::vector<std::string> random_inputs(std::uint64_t seed, unsigned lanes) {
  std::mt19937_64 random(seed ^ 0x5bd1e995);
  static constexpr const char* kWords[] = {"a", "b", "c", "abc", "b%20c", "12", "0", "c%3Cd", "x,y", ""};
  const std::uint64_t u = random() % 5;
  const bool words_alike = random() % 3 == 0;
  const std::uint64_t common = random() % 10;
  std::vector<std::string> inputs;
  for (unsigned i = 0; i < lanes; ++i) {
    inputs.push_back(std::string("x=") + kWords[words_alike ? common : random() % 10] +
                     "&y=" + kWords[random() % 9] + "&i=" + std::to_string(random() % 20) +
                     "&u=" + std::to_string(u));
  }
  return inputs;
}

}  // namespace assay::php::testing
