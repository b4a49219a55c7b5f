// Atlas with both feet welded to the ground: solves once and prints every joint acceleration, as the 64 bits of each
// number, so that programs in other languages can be compared to the last one: atlas models/atlas.urdf
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <tenon.hpp>

int main(int argc, char** argv) try {
  tenon::ModelOptions options;
  options.base = TENON_BASE_FLOATING;
  const tenon::Model robot = tenon::Model::load(argc > 1 ? argv[1] : "models/atlas.urdf", options);
  tenon::Constraints feet(robot);
  feet.add_weld("l_foot");
  feet.add_weld("r_foot");
  tenon::Workspace work(robot, feet);

  tenon::Vector v = work.zeros(), tau = work.zeros();
  for (std::size_t i = 6; i < work.nv(); ++i) {
    v[i] = 0.01 * double(i);
    tau[i] = 10.0 - 0.5 * double(i);
  }
  const tenon::Motion motion = work.constrained_dynamics(work.random(1), v, tau);

  std::printf("%s\n", tenon_status_string(motion.status));
  for (std::size_t i = 0; i < motion.qdd.size(); ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, &motion.qdd[i], sizeof bits);
    std::printf("qdd[%zu] = %016" PRIx64 "\n", i, bits);
  }
} catch (const tenon::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
