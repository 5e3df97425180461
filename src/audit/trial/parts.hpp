// What of the audit is not in the program: the worker, the recorder and the application to try it on. They are
// installed with it, where PHP 8.2 was there to build them.
#pragma once

#include <filesystem>

namespace assay::audit {

// All throw InputError if it is not there.
std::filesystem::path worker_program();
std::filesystem::path recorder_extension();
// The forum, as every PHP process sees its path.
std::filesystem::path forum_application();
std::filesystem::path mediawiki_application();

}  // namespace assay::audit
