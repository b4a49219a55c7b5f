// In place of peer_rows.cpp where the benchmark is built without peers.
#include "dynamics/rows.hpp"

namespace bench {

void register_peers(Fixture&) {}
void describe_peers() {}
void Fixture::make_peers(const Robot&) {}
void Fixture::make_mujoco(const Robot&) {}
std::vector<std::string> Fixture::disagreements() {
  return {};
}

}  // namespace bench
