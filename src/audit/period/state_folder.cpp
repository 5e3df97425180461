#include "audit/period/state_folder.hpp"

#include "system/input_error.hpp"

namespace assay::audit {

namespace fs = std::filesystem;

namespace {

bool is_kept_beside(const std::string& name) {
  return name.ends_with("-wal") || name.ends_with("-shm") || name.ends_with("-journal");
}

}  // namespace

InitialState read_state_folder(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw InputError(folder.string(), "", "expected a folder with databases");
  InitialState state;
  if (is_carried(folder)) {
    state.carried = std::make_shared<const Carried>(read_carried(folder));
    return state;
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.is_symlink() || is_kept_beside(entry.path().filename().string()))
      continue;
    state.databases["/" + entry.path().lexically_relative(folder).string()] = entry.path();
  }
  return state;
}

void add_to_state_folder(const fs::path& folder, const fs::path& data) {
  const fs::path to = folder / fs::canonical(data).relative_path();
  fs::create_directories(to);
  fs::copy(data, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

}  // namespace assay::audit
