<?php
// Makes rings of objects, some of which nobody refers to any more, and prints when PHP finds and destroys those.
class Ring {
    public ?Ring $next = null;
    public function __construct(private bool $tells) {}
    public function __destruct() {
        if ($this->tells) echo $GLOBALS['i'], ' at ', strlen((string) microtime(true)) > 0 ? 'some time' : '', "\n";
    }
}
$kept = [];
for ($i = 0; $i < (int) $_GET['rings']; $i++) {
    $ring = new Ring($i % 1000 === 0);
    $ring->next = new Ring(false);
    $ring->next->next = $ring;
    if ($_GET['keep']) $kept[] = $ring;
}
$ring = null;
echo 'threshold ', gc_status()['threshold'], "\n";
if ($_GET['keep'] === '2') echo gc_collect_cycles(), "\n";
