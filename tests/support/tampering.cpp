#include "support/tampering.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "level/level.hpp"

namespace assay {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// A word of the certificate changed to another of its kind.
std::string changed(Rng& rng, const std::string& word, const std::vector<std::string>& all_words) {
  if (rng.chance(0.4)) return all_words[rng.below(static_cast<std::uint32_t>(all_words.size()))];
  std::string out = word;
  for (char& c : out) {
    if (c >= '0' && c <= '9' && rng.chance(0.7)) {
      c = static_cast<char>('0' + rng.below(6));
      return out;
    }
    if ((c == 'b' || c == 'c') && rng.chance(0.5)) {
      c = c == 'b' ? 'c' : 'b';
      return out;
    }
  }
  return out;
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::string body_of(const std::string& certificate) {
  return certificate.substr(0, certificate.rfind("end "));
}

std::string tampered(Rng& rng, const std::string& body) {
  std::vector<std::string> lines = lines_of(body);
  const std::uint32_t line = rng.between(1, static_cast<std::uint32_t>(lines.size()) - 1);
  switch (rng.below(5)) {
    case 0:
      lines.erase(lines.begin() + line);
      break;
    case 1:
      std::swap(lines[line], lines[rng.between(1, static_cast<std::uint32_t>(lines.size()) - 1)]);
      break;
    default: {
      std::vector<std::string> all_words;
      for (const std::string& l : lines) {
        for (const std::string& w : words_of(l)) all_words.push_back(w);
      }
      for (const LevelInfo& level : levels()) all_words.emplace_back(level.name);
      std::vector<std::string> words = words_of(lines[line]);
      std::string& word = words[rng.below(static_cast<std::uint32_t>(words.size()))];
      word = changed(rng, word, all_words);
      lines[line].clear();
      for (const std::string& w : words) lines[line] += (lines[line].empty() ? "" : " ") + w;
    }
  }
  return joined(lines);
}

}  // namespace assay
