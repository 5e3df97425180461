#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "matrix/table.hpp"

namespace assay::matrix {

namespace {

using check::Verdict;

std::string title_of(const Row& row) {
  return row.code.empty() ? row.title : fmt::format("{} ({})", row.title, row.code);
}

std::string word_of(const Cell& cell) {
  if (cell.finding == Finding::not_run) return "-";
  return std::string(name(cell.finding)) + (cell.promise == Verdict::violated ? " !" : "");
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// A heading's words in lines of at most `width` characters, where no word is longer.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& word : words_in(text)) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > width) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

std::size_t width_of(std::string_view heading) {
  constexpr std::size_t kLeast = 11;  // "prevented !"
  std::size_t width = kLeast;
  for (const std::string& word : words_in(heading)) width = std::max(width, word.size());
  return width;
}

// The last lines of short headings stand beside the last lines of long ones.
std::string headings(const Matrix& matrix, std::size_t first_width) {
  std::vector<std::vector<std::string>> lines;
  std::size_t height = 1;
  for (const auto& mode : matrix.modes) {
    lines.push_back(wrapped(mode.called, width_of(mode.called)));
    height = std::max(height, lines.back().size());
  }
  std::string out;
  for (std::size_t line = 0; line < height; ++line) {
    std::string row = fmt::format("{:<{}}", line + 1 == height ? "anomaly" : "", first_width);
    for (std::size_t column = 0; column < lines.size(); ++column) {
      const std::size_t above = height - lines[column].size();
      row += fmt::format("  {:<{}}", line < above ? "" : lines[column][line - above],
                         width_of(matrix.modes[column].called));
    }
    out += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string table(const Matrix& matrix) {
  std::size_t first_width = 0;
  for (const Row& row : matrix.rows) first_width = std::max(first_width, title_of(row).size());
  std::string out = headings(matrix, first_width);
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    std::string line = fmt::format("{:<{}}", title_of(matrix.rows[row]), first_width);
    for (std::size_t column = 0; column < matrix.modes.size(); ++column)
      line +=
          fmt::format("  {:<{}}", word_of(matrix.cells[row][column]), width_of(matrix.modes[column].called));
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

// What the words of the table mean, those that occur.
std::string legend(const Matrix& matrix) {
  std::set<Finding> used;
  bool broken = false;
  for (const std::vector<Cell>& row : matrix.cells) {
    for (const Cell& cell : row) {
      used.insert(cell.finding);
      broken = broken || cell.promise == Verdict::violated;
    }
  }
  std::string out;
  for (const Finding finding : used) {
    if (finding == Finding::not_run) {
      out += fmt::format("{:<10} {}\n", "-", meaning(finding));
    } else {
      out += fmt::format("{:<10} {}\n", name(finding), meaning(finding));
    }
  }
  if (broken) out += fmt::format("{:<10} the database promises more than that\n", "!");
  return out;
}

// What cannot be told by a word: what else was seen, and what workloads found.
std::string remarks(const Matrix& matrix) {
  std::string out;
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    for (std::size_t column = 0; column < matrix.modes.size(); ++column) {
      const Cell& cell = matrix.cells[row][column];
      const bool drawn = matrix.rows[row].schedule == nullptr && cell.finding == Finding::seen;
      if (!drawn && cell.finding != Finding::other) continue;
      out += fmt::format("{}, {}: {}\n", matrix.modes[column].called, matrix.rows[row].title,
                         anomalies_told(cell));
    }
  }
  return out.empty() ? "" : "\n" + out;
}

}  // namespace

std::string_view meaning(Finding finding) {
  switch (finding) {
    case Finding::prevented:
      return "it did not happen; nobody had to wait, and nothing was refused";
    case Finding::blocked:
      return "it did not happen; somebody had to wait until another transaction had ended";
    case Finding::error:
      return "it did not happen; the database refused a transaction";
    case Finding::seen:
      return "it happened";
    case Finding::none:
      return "no anomaly happened while a random workload ran";
    case Finding::other:
      return "another anomaly happened than the schedule was made for";
    case Finding::undecided:
      return "not decided within the limits";
    case Finding::not_run:
      return "not run";
  }
  return "";
}

std::string anomalies_told(const Cell& cell) {
  std::string out;
  for (const Anomaly anomaly : cell.anomalies) {
    if (!out.empty()) out += ", ";
    out += info(anomaly).title;
  }
  return out;
}

std::string promise_told(const Matrix& matrix, std::size_t column) {
  std::string broken;
  bool open = false;
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    const Cell& cell = matrix.cells[row][column];
    open = open || cell.promise == Verdict::undecided;
    if (cell.promise == Verdict::violated) broken += (broken.empty() ? "" : ", ") + matrix.rows[row].title;
  }
  if (!broken.empty()) return "broken: " + broken;
  return open ? "undecided" : "kept";
}

std::string table_text(const Matrix& matrix) {
  std::string out =
      fmt::format("{}\n\n{}\n{}{}\n", matrix.store, table(matrix), legend(matrix), remarks(matrix));
  for (std::size_t column = 0; column < matrix.modes.size(); ++column) {
    const auto& mode = matrix.modes[column];
    if (!mode.promised) {
      out += fmt::format("{} promises no level\n", mode.called);
      continue;
    }
    out += fmt::format("{} promises {}: {}\n", mode.called, info(*mode.promised).name,
                       promise_told(matrix, column));
    for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
      const Cell& cell = matrix.cells[row][column];
      if (cell.promise == Verdict::violated && !cell.sentence.empty())
        out += fmt::format("  {}\n", cell.sentence);
    }
  }
  return out;
}

}  // namespace assay::matrix
