<?php
// A page that takes the same path for everybody: much that is the same, a little that is not, and questions to clock, chance and cache.
declare(strict_types=1);

final class Row
{
    public function __construct(private int $number, private string $label) {}
    public function __toString(): string { return sprintf('<tr><td>%d</td><td>%s</td></tr>', $this->number, htmlspecialchars($this->label)); }
}

function table(int $rows, string $who): string
{
    $sum = 0;
    $out = [];
    for ($k = 0; $k < $rows; $k++) {
        $sum = ($sum * 31 + $k) % 1000003;
        $out[] = (string) new Row($sum, $k % 50 === 0 ? $who : 'row ' . dechex($sum));
    }
    return implode("\n", $out);
}

$who = $_GET['who'] ?? 'nobody';
$kept = apcu_fetch("greeting:$who", $found);
apcu_store("greeting:$who", ['to' => $who, 'at' => time()], 60);
$mark = bin2hex(random_bytes(4));
header('Content-Type: text/html; charset=utf-8');
ob_start();
echo "<h1>Hello, ", htmlspecialchars($who), "</h1>\n";
echo '<p>', date('Y-m-d H:i:s'), ' ', $mark, ' ', json_encode([$kept, $found]), "</p>\n";
echo '<table>', table((int) ($_GET['rows'] ?? 100), strtoupper($who)), "</table>\n";
$page = ob_get_clean();
echo $page, '<!-- ', strlen($page), ' -->';
