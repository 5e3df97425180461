#include "common/code_tree.hpp"

#include <string>

#include "common/php.hpp"

namespace assay::php {

namespace {

std::string tree;  // with a slash at its end

bool begins(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

}  // namespace

void set_code_tree(std::string_view folder) {
  tree = folder;
  if (!tree.empty() && tree.back() != '/') tree.push_back('/');
}

bool in_code_tree(std::string_view path) {
  if (begins(path, "file://")) path.remove_prefix(7);
  if (tree.empty() || path.empty()) return true;
  std::string expanded;
  if (path.front() != '/' || path.find("/.") != std::string_view::npos) {
    if (path.find("://") != std::string_view::npos || begins(path, "data:")) return true;
    char whole[MAXPATHLEN];
    if (expand_filepath(std::string(path).c_str(), whole) == nullptr) return true;
    expanded = whole;
    path = expanded;
  }
  return begins(path, tree) || path == std::string_view(tree).substr(0, tree.size() - 1);
}

}  // namespace assay::php
