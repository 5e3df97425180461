#include "audit/trial/parts.hpp"

#include "system/input_error.hpp"
#include "system/installed.hpp"

namespace assay::audit {

namespace fs = std::filesystem;

namespace {

fs::path part(const fs::path& below, const char* missing) {
  const auto found = system::find_installed(below);
  if (!found) throw InputError(system::installed_place(below).string(), "", missing);
  return fs::canonical(*found);
}

constexpr const char* kNotBuilt =
    "this installation of Assay was built without PHP 8.2 (php8.2-dev and libphp8.2-embed), "
    "so it cannot record a server or run its requests again";

}  // namespace

fs::path worker_program() {
  return part(fs::path(ASSAY_MODULE_FOLDER) / "assay-php", kNotBuilt);
}

fs::path recorder_extension() {
  return part(fs::path(ASSAY_MODULE_FOLDER) / "assay_record.so", kNotBuilt);
}

fs::path forum_application() {
  return part(fs::path(ASSAY_DATA_FOLDER) / "forum",
              "the forum that belongs to Assay is not there; name another application");
}

fs::path mediawiki_application() {
  return part(fs::path(ASSAY_DATA_FOLDER) / "mediawiki",
              "what sets up Debian's MediaWiki is not there; name another application");
}

}  // namespace assay::audit
