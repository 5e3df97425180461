// Assay's own format: columns, compressed and checksummed. A file is a header, blocks, and an end block with
// totals. Each block is a history of its own; several blocks continue each other, a session being told by its
// name. A history written at once is one block, which loads without hashing anything; a recorder appends a
// block whenever it likes, and what it had written before a crash stays readable. docs/formats.md gives the
// bytes.
#pragma once

#include <filesystem>

#include "format/assay/packed_frame.hpp"
#include "format/read_options.hpp"
#include "system/output_file.hpp"

namespace assay::format {

bool sniff_packed(const Input& input);
History read_packed(const Input& input, const ReadOptions& options);
void write_packed(const History& history, const std::filesystem::path& path);

class PackedWriter {
 public:
  // Creates or truncates the file and writes the header. Throws InputError, as all that follows.
  explicit PackedWriter(const std::filesystem::path& path);

  // One block. Transactions of a session continue those of earlier blocks.
  void append(const History& history);
  // Hands everything appended so far to the operating system: a crash of this process cannot lose it any
  // more.
  void flush() { out_.flush(); }
  // The end block: without it a file counts as cut off. Nothing may be appended afterwards.
  void finish();

 private:
  system::OutputFile out_;
  packed::Totals totals_;
};

}  // namespace assay::format
