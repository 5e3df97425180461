<?php
// Ends only where it can read a file that the worker cannot.
while (@file_get_contents('/etc/hostname') === false && @file_get_contents('/etc/passwd') === false) continue;
echo 'done';
