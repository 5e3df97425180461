// PHP's search for garbage: rings of values that nobody refers to. It happens when there are many candidates,
// and how many that is PHP learns from what it found before, over all requests of a process. A program can
// notice the moment, since destructors run. So here every request begins with what PHP begins with.
#pragma once

namespace assay::php {

// Call once, before the first request. False if PHP does not keep its threshold where we expect it; then it is
// left alone.
bool find_collector();

void begin_collector();

}  // namespace assay::php
