// The guard on PHP's instructions: one that meets a multivalue is carried out per lane, known to only move it, or denied.
#pragma once

namespace assay::php {

// Before anything is compiled.
void raise_guard();

}  // namespace assay::php
