<?php
echo 'A';
$bytes = random_bytes(8);
echo 'B';
