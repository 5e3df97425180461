// Two clients who increment a key, in JSONL: one after the other, and such that one increment is lost.
#pragma once

namespace assay::testing {

inline constexpr const char* kSerial =
    R"({"s":0,"t":0,"status":"ok","ops":[["r",1,null],["w",1,1]]}
{"s":1,"t":0,"status":"ok","ops":[["r",1,1],["w",1,2]]}
)";
inline constexpr const char* kLostUpdate =
    R"({"s":0,"t":0,"status":"ok","ops":[["r",1,null],["w",1,1]]}
{"s":1,"t":0,"status":"ok","ops":[["r",1,null],["w",1,2]]}
)";

}  // namespace assay::testing
