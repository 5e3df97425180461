#include "common/code_tree.hpp"

#include <string>

namespace assay::php {

namespace {

std::string tree;  // with a slash at its end

}  // namespace

void set_code_tree(std::string_view folder) {
  tree = folder;
  if (!tree.empty() && tree.back() != '/') tree.push_back('/');
}

bool in_code_tree(std::string_view path) {
  if (tree.empty() || path.empty() || path.front() != '/') return true;
  // A path that climbs is judged by where it might lead: outside.
  if (path.find("/../") != std::string_view::npos) return false;
  return path.substr(0, tree.size()) == tree || path == std::string_view(tree).substr(0, tree.size() - 1);
}

}  // namespace assay::php
