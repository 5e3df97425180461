<?php
// A small forum: what Assay's audit is tested on. Plain PHP on PDO with SQLite, native sessions and the APCu functions. It is an
// application like any other: nothing in it knows that it is audited. FORUM_DATA, a parameter of the request, is its data folder.
declare(strict_types=1);

require __DIR__ . '/text.php';
require __DIR__ . '/store.php';

function page(string $title, array $parts, ?array $user): void
{
    $who = $user ? 'Hello, <a href="?page=user&amp;name=' . Text::escape($user['name']) . '">' . Text::escape($user['name']) . '</a>' : '<a href="?page=login">Log in</a>';
    $visits = $_SESSION['visits'] ?? 0;
    $tip = ['Be kind.', 'Search before you ask.', 'Vote for what helped.', 'Quote with care.'][mt_rand(0, 3)];
    echo <<<HTML
    <!doctype html>
    <title>$title</title>
    <header>$who, page $visits of this visit</header>
    <h1>$title</h1>

    HTML;
    foreach ($parts as $heading => $part) {
        if (is_string($heading)) echo "<h2>$heading</h2>\n";
        echo is_array($part) ? "<ul>\n<li>" . implode("</li>\n<li>", $part) . "</li>\n</ul>\n" : "<section>$part</section>\n";
    }
    printf("<footer>%s It is %s.</footer>\n", $tip, date('Y-m-d H:i'));
}

function number(string $name, int $least = 0): int
{
    $text = $_REQUEST[$name] ?? '0';
    if (!is_string($text) || !ctype_digit($text) || (int) $text < $least || strlen($text) > 9) throw new Refused("The number '$name' is missing or wrong.", 400);
    return (int) $text;
}

function text(string $name, int $longest): string
{
    $text = $_POST[$name] ?? $_GET[$name] ?? '';
    if (!is_string($text) || trim($text) === '' || strlen($text) > $longest) throw new Refused("The text '$name' is missing or too long.", 400);
    return trim($text);
}

function signed_in(?array $user): array { return $user ?? throw new Refused('Please log in first.', 401); }

function leave_for(string $where): void
{
    header('Location: ?' . $where, true, 303);
    echo 'See ', Text::escape($where), "\n";
}

function show_board(Store $store, ?array $user): void
{
    $board = text('board', 20);
    $rows = [];
    foreach ($store->threads($board, number('skip')) as ['id' => $id, 'title' => $title, 'replies' => $replies, 'touched' => $touched, 'name' => $name]) {
        $rows[] = sprintf('<a href="?page=thread&amp;id=%d">%s</a> by %s, %d posts, %s', $id, Text::escape($title), Text::escape($name), $replies, Text::ago($touched));
    }
    page(Text::escape(ucfirst($board)), ['Threads' => $rows ?: 'Nothing here yet.'], $user);
}

function show_thread(Store $store, ?array $user): void
{
    $thread = $store->thread(number('id', 1));
    $posts = $store->posts((int) $thread['id'], $user['id'] ?? null);
    $best = $posts;
    usort($best, fn (Post $a, Post $b): int => [$b->score, $a->id] <=> [$a->score, $b->id]);
    $parts = [];
    foreach ($posts as $i => $post) {
        $own = match ($post->mine) { 1 => ' You liked this.', -1 => ' You did not like this.', null => '' };
        $star = $post === $best[0] && $post->score > 0 ? ' &#9733;' : '';
        $parts[] = $post . sprintf('<small>%d. %s, %s, score %.2f%s%s</small>', $i + 1, Text::escape($post->name), Text::ago($post->created), $post->score, $star, $own);
    }
    if ($user) $parts['Reply'] = '<form method="post" action="?page=reply&amp;id=' . $thread['id'] . '"><textarea name="body"></textarea><button>Send</button></form>';
    $_SESSION['seen'][$thread['id']] = count($posts);
    page(Text::escape($thread['title']), $parts, $user);
}

function show_user(Store $store, ?array $user): void
{
    $shown = $store->user(text('name', 40));
    $profile = $store->profile((int) $shown['id']);
    $threads = [];
    foreach ($profile['threads'] as $id => $title) $threads[] = "<a href=\"?page=thread&amp;id=$id\">" . Text::escape($title) . '</a>';
    $joined = (new DateTimeImmutable('@' . $shown['joined']))->format('j F Y');
    $days = (new DateTime('now'))->diff(new DateTime('@' . $shown['joined']))->days;
    $parts = [Text::markup($shown['about'] . ' '), "Joined $joined, $days days ago; {$profile['posts']} posts, score " . round((float) $profile['score'], 2), 'Threads' => $threads];
    if ($user && $user['id'] === $shown['id']) $parts['Seen'] = array_map(fn ($t, $n) => "thread $t, $n posts", array_keys($_SESSION['seen'] ?? []), $_SESSION['seen'] ?? []) ?: 'nothing';
    page(Text::escape($shown['name']), $parts, $user);
}

function show_search(Store $store, ?array $user): void
{
    $words = text('words', 50);
    $found = [];
    foreach ($store->search($words) as $id => $row) {
        ['thread' => $thread, 'title' => $title, 'body' => $body] = $row;
        $found[$title][] = '<a href="?page=thread&amp;id=' . $thread . '#' . $id . '">' . Text::mark($body, $words) . '</a>';
    }
    ksort($found);
    page('Search', $found ?: ['Nothing was found for ' . Text::escape($words) . '.'], $user);
}

function log_in(Store $store): void
{
    $name = text('name', 40);
    $tries = apcu_inc("tries:$name", 1, $known, 600);
    if ($tries > 1000) throw new Refused('Too many tries; come back later.', 429);
    try {
        $user = $store->user($name);
        if (!password_verify(text('word', 72), $user['password'])) throw new NotFound();
    } catch (NotFound) {
        usleep(5000); // who guesses must wait
        throw new Refused('Wrong name or password.');
    }
    session_regenerate_id(true);
    $_SESSION = ['user' => (int) $user['id'], 'visits' => 0, 'badge' => bin2hex(random_bytes(6))];
    setcookie('remember', $name, time() + 86400);
    leave_for('page=user&name=' . rawurlencode($name));
}

function answer(Store $store, ?array $user): void
{
    $post = $_SERVER['REQUEST_METHOD'] === 'POST';
    if ($_FILES !== []) throw new Refused('This forum takes no files.', 415);
    switch (($post ? 'POST ' : 'GET ') . ($_GET['page'] ?? 'boards')) {
        case 'GET boards':
            $list = [];
            foreach ($store->boards() as $name => $board) $list[] = "<a href=\"?page=board&amp;board=$name\">" . ucfirst($name) . "</a>, {$board['threads']} threads, last " . Text::ago((int) $board['last']);
            page('Forum', ['Boards' => $list], $user);
            break;
        case 'GET board': show_board($store, $user); break;
        case 'GET thread': show_thread($store, $user); break;
        case 'GET user': show_user($store, $user); break;
        case 'GET search': show_search($store, $user); break;
        case 'GET login': page('Log in', ['<form method="post" action="?page=login"><input name="name"><input name="word" type="password"><button>Go</button></form>'], $user); break;
        case 'POST login': log_in($store); break;
        case 'POST logout': session_destroy(); leave_for('page=boards'); break;
        case 'POST register':
            $_SESSION['user'] = $store->register(preg_replace('/[^a-z0-9]/', '', strtolower(text('name', 40))), text('word', 72));
            leave_for('page=boards');
            break;
        case 'POST about': $store->about(signed_in($user)['id'], text('about', 500)); leave_for('page=user&name=' . $user['name']); break;
        case 'POST reply': leave_for('page=thread&id=' . number('id', 1) . '#' . $store->reply(number('id', 1), signed_in($user)['id'], text('body', 5000))); break;
        case 'POST start': leave_for('page=thread&id=' . $store->start(text('board', 20), text('title', 100), signed_in($user)['id'], text('body', 5000))); break;
        case 'POST vote':
            $new = $store->vote(number('post', 1), signed_in($user)['id'], ($_POST['value'] ?? '') === 'down' ? -1 : 1);
            page('Vote', [$new ? 'Counted.' : 'You had voted before.'], $user);
            break;
        default: throw new NotFound('There is no such page.');
    }
}

ob_start(fn (string $html): string => preg_replace('/^[ \t]+/m', '', $html));
header('Content-Type: text/html; charset=utf-8');
header('X-Request-Mark: ' . bin2hex(random_bytes(4)));
session_start();
$store = Store::open($_SERVER['FORUM_DATA']);
$user = null;
try {
    $user = isset($_SESSION['user']) ? $store->user($_SESSION['user']) : null;
    $_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;
    answer($store, $user);
} catch (NotFound | Refused $refusal) {
    http_response_code($refusal instanceof Refused ? $refusal->status : 404);
    page('Sorry', [Text::escape($refusal->getMessage())], $user);
} catch (PDOException $trouble) {
    // Two writers met: SQLite refused one of them, which may try again.
    if (!in_array($trouble->errorInfo[1] ?? 0, [5, 6], true)) throw $trouble;
    http_response_code(503);
    page('Busy', ['Please try again.'], $user);
}
