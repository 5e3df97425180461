#include "system/module.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "support/program.hpp"

namespace assay::system {
namespace {

std::string complaint_about(const std::filesystem::path& path) {
  try {
    load_module(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Module, WhatItExportsIsFound) {
  void* const module = load_module("libc.so.6");
  const auto length = reinterpret_cast<std::size_t (*)(const char*)>(find_symbol(module, "strlen"));
  EXPECT_EQ(length("four"), 4U);
  EXPECT_THROW(find_symbol(module, "there_is_no_such_function"), std::runtime_error);
}

TEST(Module, AMissingOrBrokenFileIsNamed) {
  const testing::TemporaryFolder folder;
  EXPECT_NE(complaint_about(folder / "missing.so").find("missing.so"), std::string::npos);
  const std::string broken = folder.file("broken.so", "this is no shared object");
  EXPECT_NE(complaint_about(broken).find("broken.so"), std::string::npos);
}

}  // namespace
}  // namespace assay::system
