// The hooks on what PHP complains about and throws: it may be about a multivalue, and a program could catch it.
#pragma once

namespace assay::php {

void watch_errors();

}  // namespace assay::php
