#include "record/generate/plant.hpp"

#include <cassert>

namespace assay::record {

namespace {

using Kind = PlantedOperation::Kind;

constexpr std::uint8_t x = 0;
constexpr std::uint8_t y = 1;

PlantedOperation r(std::uint8_t key, std::uint8_t version) {
  return {Kind::read, key, version};
}

PlantedOperation w(std::uint8_t key, std::uint8_t version) {
  return {Kind::write, key, version};
}

}  // namespace

PlantScript plant_script(Anomaly anomaly) {
  constexpr Status committed = Status::committed;
  switch (anomaly) {
    case Anomaly::lost_update:
      return {2, {2}, {{0, committed, 0, 2, {r(x, 0), w(x, 1)}}, {1, committed, 1, 3, {r(x, 0), w(x, 2)}}}};
    case Anomaly::write_skew:
      return {2,
              {1, 1},
              {{0, committed, 0, 2, {r(x, 0), r(y, 0), w(x, 1)}},
               {1, committed, 1, 3, {r(x, 0), r(y, 0), w(y, 1)}}}};
    case Anomaly::long_fork:
      return {4,
              {1, 1},
              {{0, committed, 0, 4, {r(x, 0), w(x, 1)}},
               {1, committed, 1, 5, {r(y, 0), w(y, 1)}},
               {2, committed, 2, 6, {r(x, 1), r(y, 0)}},
               {3, committed, 3, 7, {r(y, 1), r(x, 0)}}}};
    // The writer inside the reader: no snapshot was held. Old first, so that read committed holds.
    case Anomaly::read_skew:
      return {2,
              {1, 1},
              {{0, committed, 1, 2, {r(x, 0), r(y, 0), w(x, 1), w(y, 1)}},
               {1, committed, 0, 3, {r(x, 0), r(y, 1)}}}};
    // The reader inside the writer: the commit was not atomic. Old first, as above.
    case Anomaly::fractured_read:
      return {2,
              {1, 1},
              {{1, committed, 1, 2, {r(x, 0), r(y, 1)}},
               {0, committed, 0, 3, {r(x, 0), r(y, 0), w(x, 1), w(y, 1)}}}};
    case Anomaly::causality_violation:
      return {3,
              {1, 1},
              {{0, committed, 0, 1, {r(x, 0), w(x, 1)}},
               {1, committed, 2, 4, {r(x, 1), r(y, 0), w(y, 1)}},
               {2, committed, 3, 5, {r(y, 1), r(x, 0)}}}};
    case Anomaly::stale_read:
      return {2, {1}, {{0, committed, 0, 1, {r(x, 0), w(x, 1)}}, {1, committed, 2, 3, {r(x, 0)}}}};
    case Anomaly::aborted_read:
      return {2, {0}, {{0, Status::aborted, 0, 2, {r(x, 0), w(x, 1)}}, {1, committed, 1, 3, {r(x, 1)}}}};
    case Anomaly::intermediate_read:
      return {2, {2}, {{0, committed, 0, 2, {r(x, 0), w(x, 1), w(x, 2)}}, {1, committed, 1, 3, {r(x, 1)}}}};
    case Anomaly::dirty_write:
      // The readers read in opposite orders: after x'' of B, a y'' of A says that B came before A, and the
      // other way round. In lists the orders of the elements say the same.
      return {4,
              {2, 2},
              {{0, committed, 0, 2, {w(x, 1), w(y, 2)}},
               {1, committed, 1, 3, {w(x, 2), w(y, 1)}},
               {2, committed, 4, 6, {r(x, 2), r(y, 2)}},
               {3, committed, 5, 7, {r(y, 2), r(x, 2)}}}};
    case Anomaly::phantom:
      return {2,
              {1},
              {{0, committed, 1, 2, {{Kind::insert, x, 1}}},
               {1, committed, 0, 3, {{Kind::range, x, 0}, {Kind::range, x, 1}}}}};
    default:
      assert(false && "no textbook instance");
      return {};
  }
}

}  // namespace assay::record
