// Cobra logs (CobraBench, ViperBench, VeriStrong, PolySI): a directory of T<n>.log, one session each,
// big-endian records S(begin) R(read) W(write) C(commit). A read names the transaction and the write it saw.
// VeriStrong's dialect hides those and shows only a hash of the value, which need not be unique.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "format/read_options.hpp"

namespace assay::format {

bool sniff_cobra(const Input& input);
History read_cobra(const Input& input, const ReadOptions& options);
void write_cobra(const History& history, const std::filesystem::path& path);

// Ids that are not ids.
namespace cobra {
inline constexpr std::uint64_t kInit = 0xBEBEEBEE;    // the key existed before the run
inline constexpr std::uint64_t kNull = 0xDEADBEEF;    // the key was absent
inline constexpr std::uint64_t kDelete = 0xABCDEFAB;  // as a write: a delete
inline constexpr std::uint64_t kGarbageCollection[] = {0x23332333, 0x66666666};  // with writer kInit
inline constexpr std::uint64_t kByValue = 0xABDDEFEE;  // VeriStrong's dialect: the value's hash is the value

// The digits of a name T<digits>.log; nullopt if it is another name.
std::optional<std::string_view> session_digits(std::string_view path);
}  // namespace cobra

}  // namespace assay::format
