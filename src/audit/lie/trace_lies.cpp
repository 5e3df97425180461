// What a client got is not what the program gives.
#include <map>
#include <utility>

#include "audit/lie/draw.hpp"
#include "audit/lie/plants.hpp"

namespace assay::audit::lie {

namespace {

// A request and where its response is.
struct Asked {
  std::string what;  // method, address and body
  std::string cookie;
  std::size_t at = 0;
};

std::string parameter(const DraftEvent& request, std::string_view name) {
  for (const auto& [known, value] : request.pairs) {
    if (known == name) return value;
  }
  return {};
}

std::vector<Asked> answered_requests(const Draft& draft) {
  std::map<std::uint64_t, Asked> open;
  std::vector<Asked> all;
  for (std::size_t at = 0; at < draft.events.size(); ++at) {
    const DraftEvent& event = draft.events[at];
    if (!event.is_response) {
      open[event.rid] = {
          parameter(event, "REQUEST_METHOD") + " " + parameter(event, "REQUEST_URI") + "\n" + event.bytes,
          parameter(event, "HTTP_COOKIE"), at};
    } else if (const auto request = open.find(event.rid); request != open.end() && is_whole_response(event)) {
      all.push_back(request->second);
      all.back().at = at;
    }
  }
  return all;
}

// A request gets the response that an equal one got which `fits`.
template <class Fits>
bool answer_as_another(Draft& draft, std::uint64_t seed, const Fits& fits) {
  std::map<std::string, std::vector<Asked>> alike;
  for (Asked& asked : answered_requests(draft)) alike[asked.what].push_back(std::move(asked));
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const auto& [what, all] : alike) {
    // Among many equal ones the neighbours are choice enough.
    for (std::size_t i = 1; i < all.size(); ++i) {
      for (const auto& [mine, other] : {std::pair(i, i - 1), std::pair(i - 1, i)}) {
        const std::string& seen = draft.events[all[mine].at].bytes;
        if (fits(all[mine], all[other]) && seen != draft.events[all[other].at].bytes) {
          places.emplace_back(all[mine].at, all[other].at);
        }
      }
    }
  }
  if (places.empty()) return false;
  Draw draw(seed);
  const auto [mine, other] = places[draw.below(places.size())];
  draft.events[mine].status = draft.events[other].status;
  draft.events[mine].pairs = draft.events[other].pairs;
  draft.events[mine].bytes = draft.events[other].bytes;
  return true;
}

}  // namespace

bool flip_body(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* event =
      pick(draft.events, draw, [](const DraftEvent& e) { return is_whole_response(e) && !e.bytes.empty(); });
  return event != nullptr && flip(event->bytes, draw);
}

bool truncate_body(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* event =
      pick(draft.events, draw, [](const DraftEvent& e) { return is_whole_response(e) && !e.bytes.empty(); });
  if (event == nullptr) return false;
  event->bytes.resize(draw.below(event->bytes.size()));
  return true;
}

bool change_header(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* event = pick(draft.events, draw, is_whole_response);
  if (event == nullptr) return false;
  event->pairs.emplace_back("X-Added", "by nobody");
  return true;
}

bool change_status(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* event = pick(draft.events, draw, is_whole_response);
  if (event == nullptr) return false;
  event->status = event->status == 500 ? 200 : 500;
  return true;
}

bool duplicate_response(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  const DraftEvent* event = pick(draft.events, draw, is_whole_response);
  if (event == nullptr) return false;
  DraftEvent copy = *event;
  copy.time = draft.events.back().time;
  draft.events.push_back(std::move(copy));
  return true;
}

bool swap_responses(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  DraftEvent* one = pick(draft.events, draw, is_whole_response);
  if (one == nullptr) return false;
  DraftEvent* other = pick(draft.events, draw, [&](const DraftEvent& e) {
    return is_whole_response(e) &&
           (e.bytes != one->bytes || e.status != one->status || e.pairs != one->pairs);
  });
  if (other == nullptr) return false;
  std::swap(one->bytes, other->bytes);
  std::swap(one->pairs, other->pairs);
  std::swap(one->status, other->status);
  return true;
}

// A response to what nobody asked.
bool drop_request(Draft& draft, std::uint64_t seed) {
  Draw draw(seed);
  const DraftEvent* response = pick(draft.events, draw, is_whole_response);
  if (response == nullptr) return false;
  const DraftEvent* request =
      pick(draft.events, draw, [&](const DraftEvent& e) { return !e.is_response && e.rid == response->rid; });
  if (request == nullptr) return false;
  remove(draft.events, request);
  return true;
}

bool answer_stale(Draft& draft, std::uint64_t seed) {
  return answer_as_another(draft, seed, [](const Asked& asked, const Asked& other) {
    return asked.cookie == other.cookie && other.at < asked.at;
  });
}

bool answer_as_somebody_else(Draft& draft, std::uint64_t seed) {
  return answer_as_another(
      draft, seed, [](const Asked& asked, const Asked& other) { return asked.cookie != other.cookie; });
}

}  // namespace assay::audit::lie
