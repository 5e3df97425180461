// Which script a URL means. Only PHP is served; the rules, in this order, for the path of the URL with its
// percent signs decoded, "." and ".." resolved and double slashes made one:
//
//   1. It leads through a file that ends in .php: that is the script, what follows is PATH_INFO.
//   2. It ends in a slash and names a folder with an index.php: that is the script.
//   3. It names some other file: 404. Files are not the application's business, nor the collector's.
//   4. There is an index.php in the root: the front controller, which finds the path in REQUEST_URI.
//   5. 404.
//
// The files are looked up in `root`, the principal's own copy of the application; PHP is told the same paths
// below `root_at_php`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "audit/front/decoding.hpp"

namespace assay::audit::front {

struct Script {
  std::string name;       // "/wiki/index.php", below the root
  std::string path_info;  // "/Main_Page", or empty
};

class ScriptMap {
 public:
  ScriptMap(const std::filesystem::path& root, std::string root_at_php);

  // `target` is a path and perhaps a query.
  std::variant<Script, Refusal> find(std::string_view target) const;
  const std::string& root_at_php() const { return root_at_php_; }

 private:
  bool is_file(const std::string& name) const;

  std::string root_, root_at_php_;
};

// Decoded and resolved; "" if it is malformed or leads above the root.
std::string resolved_path(std::string_view path);

}  // namespace assay::audit::front
