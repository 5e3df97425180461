<?php
// From what people typed to what browsers show.
declare(strict_types=1);

final class Text
{
    public static function escape(string|int|float|null $text): string { return htmlspecialchars((string) $text, ENT_QUOTES); }

    public static function markup(string $body): string
    {
        $body = self::escape(trim($body));
        $body = preg_replace('/\*([^*\n]+)\*/', '<em>$1</em>', $body);
        $body = preg_replace_callback('/#(\d+)/', fn (array $m): string => '<a href="?page=thread&amp;id=' . $m[1] . '">thread ' . $m[1] . '</a>', $body);
        return '<p>' . implode('</p><p>', array_filter(array_map('trim', explode("\n", $body)), 'strlen')) . '</p>';
    }

    public static function ago(int $then): string
    {
        $seconds = time() - $then;
        foreach (['day' => 86400, 'hour' => 3600, 'minute' => 60] as $unit => $length) {
            if ($seconds >= $length) {
                $n = intdiv($seconds, $length);
                return "$n $unit" . ($n === 1 ? '' : 's') . ' ago';
            }
        }
        return 'just now';
    }

    public static function mark(string $text, string $words): string
    {
        $at = stripos($text, $words);
        if ($words === '' || $at === false) return self::escape(substr($text, 0, 80));
        $from = max(0, $at - 30);
        [$before, $hit, $after] = [substr($text, $from, $at - $from), substr($text, $at, strlen($words)), substr($text, $at + strlen($words), 40)];
        return self::escape($before) . '<mark>' . self::escape($hit) . '</mark>' . self::escape($after);
    }
}
