#include "audit/front/script_map.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <vector>

namespace assay::audit::front {

namespace {

constexpr std::string_view kEnding = ".php";
constexpr const char* kIndex = "index.php";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// False where a percent sign has no two digits behind it, or a control character comes out.
bool decode_percent(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int high = i + 1 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return false;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) return false;
    out.push_back(c);
  }
  return true;
}

std::string without_slash_at_end(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool ends_in(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

}  // namespace

std::string resolved_path(std::string_view path) {
  std::string decoded;
  if (path.substr(0, 1) != "/" || !decode_percent(path, decoded)) return "";
  std::vector<std::string_view> segments;
  bool folder = true;  // what came last stands for a folder
  for (std::string_view rest = decoded; !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(segment.size());
    folder = segment.empty() || segment == "." || segment == "..";
    if (segment == "..") {
      if (segments.empty()) return "";
      segments.pop_back();
    } else if (!folder) {
      segments.push_back(segment);
    }
  }
  std::string out;
  for (const std::string_view segment : segments) (out += '/') += segment;
  if (folder || out.empty()) out += '/';
  return out;
}

ScriptMap::ScriptMap(const std::filesystem::path& root, std::string root_at_php)
    : root_(without_slash_at_end(root.string())),
      root_at_php_(without_slash_at_end(std::move(root_at_php))) {}

bool ScriptMap::is_file(const std::string& name) const {
  struct stat facts {};
  return ::stat((root_ + name).c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

std::variant<Script, Refusal> ScriptMap::find(std::string_view target) const {
  const std::string path = resolved_path(target.substr(0, target.find('?')));
  if (path.empty()) return Refusal{400, "the path is malformed"};
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string name = path.substr(0, end);
    if (ends_in(name, kEnding) && is_file(name)) {
      return Script{name, end == std::string::npos ? "" : path.substr(end)};
    }
    if (end == std::string::npos) break;
  }
  if (path.back() == '/' && is_file(path + kIndex)) return Script{path + kIndex, ""};
  if (path.back() == '/' || !is_file(path)) {
    const std::string front_controller = std::string("/") + kIndex;
    if (is_file(front_controller)) return Script{front_controller, ""};
  }
  return Refusal{404, "there is no such script"};
}

}  // namespace assay::audit::front
