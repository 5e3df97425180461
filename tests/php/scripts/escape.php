<?php
// What a program should not be able to do where it is only run again.
$try = fn (callable $what): string => @$what() ? 'yes' : 'no';
echo 'socket ', $try(fn () => stream_socket_server('tcp://127.0.0.1:0')), ' write ', $try(fn () => file_put_contents(sys_get_temp_dir() . '/assay-escape-' . getmypid(), 'x')),
    ' read ', $try(fn () => file_get_contents('/etc/passwd')), ' run ', $try(fn () => shell_exec('echo here'));
@unlink(sys_get_temp_dir() . '/assay-escape-' . getmypid());
