// What the C code of PHP asks of the system by itself: setcookie and `new DateTime` read the clock,
// password_hash and session ids take random bytes. Their calls are led to the world of the request by
// changing the table of imported functions of the object that PHP is in (the program, or libphp), and of no
// other; outside of a request they go where they always went.
#pragma once

namespace assay::php {

// False if the object's imports could not be changed.
bool redirect_system_calls();

}  // namespace assay::php
