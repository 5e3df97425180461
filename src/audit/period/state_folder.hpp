// A state on disk, in a folder: the server's databases as they were at one moment, each at the path that it
// has on the server (/srv/forum/forum.sqlite is FOLDER/srv/forum/forum.sqlite); or what an audit has left.
#pragma once

#include <filesystem>

#include "audit/redo.hpp"

namespace assay::audit {

// Every file in the folder but those that SQLite keeps beside a database. Links are not followed. Throws
// InputError if it is no folder, or one that was changed; std::filesystem::filesystem_error.
InitialState read_state_folder(const std::filesystem::path& folder);

// Copies what lies in the folder `data` of this machine, as part of a state. Throws
// std::filesystem::filesystem_error.
void add_to_state_folder(const std::filesystem::path& folder, const std::filesystem::path& data);

}  // namespace assay::audit
