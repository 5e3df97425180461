#include "watch/compact.hpp"

#include <utility>

#include "history/builder.hpp"
#include "history/replay.hpp"

namespace assay::watch {

void compact(Watcher::State& state, const Assembly& assembly, std::span<const std::uint8_t> leaves) {
  const History& h = assembly.history;
  HistoryBuilder builder;
  builder.clocks(h.clocks());
  for (const SessionState& session : state.sessions) builder.session(session.name.view());
  Replay replay(h, builder);
  std::vector<Place> places;
  std::uint32_t held = 0;
  for (std::uint32_t s = 0; s < state.sessions.size(); ++s) {
    SessionState& session = state.sessions[s];
    for (const Txn t : h.transactions_of(Session{s})) {
      const bool fresh = assembly.is_fresh(t);
      Place place;
      if (fresh) {
        place.position = session.positions++;
      } else {
        place = std::move(state.places[held++]);
      }
      if (!leaves.empty() && leaves[index(t)] != 0) continue;
      replay.transaction(t);
      places.push_back(std::move(place));
    }
  }
  state.held = builder.finish();
  state.places = std::move(places);
}

}  // namespace assay::watch
