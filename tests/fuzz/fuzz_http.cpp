// Any bytes as what a client sends to the collector: requests or a refusal, the same however they are cut,
// and nothing in them that could be read as something else further on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "audit/front/http_request.hpp"
#include "audit/front/params.hpp"
#include "audit/front/script_map.hpp"

namespace {

using namespace assay::audit::front;

// What PHP would be told must not hold what ends a line or a string in C.
void expect_harmless(const HttpRequest& request) {
  const auto safe = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return c == '\t' || (byte >= 0x20 && byte != 0x7F);
    });
  };
  const std::string path =
      resolved_path(std::string_view(request.target).substr(0, request.target.find('?')));
  if (!safe(path) || path.find("/../") != std::string::npos) std::abort();
  const Script script{path.empty() ? "/" : path, ""};
  for (const auto& [name, value] : params_of(request, script, "/srv", {"h", "1", "h", "2"}, false)) {
    if (!safe(name) || !safe(value)) std::abort();
  }
}

std::string understood(std::string_view bytes, std::size_t piece, const RequestLimits& limits) {
  RequestDecoder decoder(limits);
  std::string out, input;
  while (!bytes.empty()) {
    input += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    Decoded decoded = Decoded::whole;
    while (decoded == Decoded::whole && !input.empty()) {
      std::string_view rest = input;
      decoded = decoder.take(rest);
      input.erase(0, input.size() - rest.size());
      if (decoder.asks_to_continue()) out += "continue ";
      if (decoded == Decoded::refused)
        return out + std::to_string(decoder.refusal().status) + decoder.refusal().why;
      if (decoded == Decoded::need_more) break;
      const HttpRequest request = decoder.request();
      expect_harmless(request);
      if (request.body.size() > limits.body_bytes || request.fields.size() > limits.fields) std::abort();
      out += request.method + " " + request.target + (request.keep_alive ? " keep " : " close ") +
             request.body + "\n";
      for (const Field& field : request.fields) out += field.name + ":" + field.value + "\n";
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  RequestLimits small;
  small.line_bytes = 40;
  small.head_bytes = 120;
  small.fields = 4;
  small.body_bytes = 20;
  for (const RequestLimits& limits : {RequestLimits{}, small}) {
    const std::string whole = understood(bytes, size + 1, limits);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
      if (understood(bytes, piece, limits) != whole) std::abort();
    }
  }
  return 0;
}
