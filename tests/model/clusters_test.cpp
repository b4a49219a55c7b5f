// Which bodies form a cluster, and the order of bodies that follows. Bodies are numbers, parents precede.
#include "model/loops/loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "support/random_mechanism.hpp"
#include "support/test_robots.hpp"

namespace tenon::testing {
namespace {

using Numbers = std::vector<std::int32_t>;

TEST(FormClusters, NothingTiedIsNoCluster) {
  EXPECT_EQ(form_clusters({-1, 0, 1}, {}), (Numbers{-1, -1, -1}));
}

// A link and its rotor on the same parent; what hangs on them stays alone.
TEST(FormClusters, LinkAndRotor) {
  const Numbers parent = {-1, 0, 0, 1, 3};
  EXPECT_EQ(form_clusters(parent, {{1, 2}}), (Numbers{-1, 0, 0, -1, -1}));
}

// A chain of geared links: one cluster each, numbered from the root.
TEST(FormClusters, GearedChain) {
  const Numbers parent = {-1, -1, 0, 0, 2, 2};
  EXPECT_EQ(form_clusters(parent, {{4, 5}, {0, 1}, {2, 3}}), (Numbers{0, 0, 1, 1, 2, 2}));
}

// Parallel belts: rotor 3 turns with the sum of links 0 and 1, rotor 2 with link 0 alone, inside of that.
TEST(FormClusters, NestedConstraintsMerge) {
  const Numbers parent = {-1, 0, -1, -1, 1};
  EXPECT_EQ(form_clusters(parent, {{0, 2}, {0, 1, 3}}), (Numbers{0, 0, 0, 0, -1}));
}

// Two rods side by side between the same two branches.
TEST(FormClusters, ParallelLoopsMerge) {
  const Numbers parent = {-1, -1, 0, 0};
  EXPECT_EQ(form_clusters(parent, {{0, 1, 2}, {0, 1, 3}}), (Numbers{0, 0, 0, 0}));
}

// Joints that follow each other in a row are one cluster, in whatever order they are told.
TEST(FormClusters, ChainOfMimicsIsOneCluster) {
  const Numbers parent = {-1, 0, 1, 2, 3};
  EXPECT_EQ(form_clusters(parent, {{3, 4}, {0, 1}, {2, 3}, {1, 2}}), (Numbers{0, 0, 0, 0, 0}));
}

// A joint that follows one three links up: what lies between belongs to the cluster, because otherwise body 3
// and body 0 would hang on different nodes; what branches off does not.
TEST(FormClusters, BodiesBetweenBelongToThem) {
  const Numbers parent = {-1, 0, 1, 2, 1};
  EXPECT_EQ(form_clusters(parent, {{0, 3}}), (Numbers{0, 0, 0, 0, -1}));
}

// Two bodies of a cluster carry further ones (multiple output bodies), and a loop outside of it hangs on
// both: it takes in the outermost bodies until all base bodies share a parent, and so meets the first
// cluster.
TEST(FormClusters, LoopOnSeveralOutputBodiesJoinsThem) {
  const Numbers parent = {-1, -1, 0, 1, 2, 3};
  EXPECT_EQ(form_clusters(parent, {{0, 1}}), (Numbers{0, 0, -1, -1, -1, -1}));
  EXPECT_EQ(form_clusters(parent, {{0, 1}, {2, 3}}), (Numbers{0, 0, 0, 0, -1, -1}));
  EXPECT_EQ(form_clusters(parent, {{0, 1}, {4, 5}}), (Numbers{0, 0, 0, 0, 0, 0}));
}

// A loop that ends on an ancestor moves the joints between alone.
TEST(FormClusters, LoopOntoAnAncestor) {
  const Numbers parent = {-1, 0, 1, 2, 3};
  EXPECT_EQ(form_clusters(parent, {{2, 3}}), (Numbers{-1, -1, 0, 0, -1}));
}

// On random trees: every constraint in one cluster; base bodies of a cluster on one parent; and no cluster
// could be smaller, since each is connected by its constraints and what was taken in.
TEST(FormClusters, RandomTreesKeepTheRules) {
  for (int seed = 0; seed < test_robots(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int count = 2 + random.integer(0, 29);
    Numbers parent(static_cast<std::size_t>(count), -1);
    for (int i = 1; i < count; ++i) parent[static_cast<std::size_t>(i)] = random.integer(-1, i - 1);
    std::vector<Numbers> tied(static_cast<std::size_t>(random.integer(1, 4)));
    for (Numbers& bodies : tied)
      for (int k = 0; k < random.integer(2, 3); ++k) bodies.push_back(random.integer(0, count - 1));
    const Numbers cluster = form_clusters(parent, tied);
    const auto at = [](const Numbers& list, std::int32_t i) { return list[static_cast<std::size_t>(i)]; };
    for (const Numbers& bodies : tied)
      for (const std::int32_t body : bodies) {
        EXPECT_GE(at(cluster, body), 0);
        EXPECT_EQ(at(cluster, body), at(cluster, bodies.front()));
      }
    std::map<std::int32_t, std::int32_t> hangs_on;
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t p = at(parent, i), own = at(cluster, i);
      if (own < 0 || (p >= 0 && at(cluster, p) == own)) continue;
      EXPECT_EQ(hangs_on.try_emplace(own, p).first->second, p) << "body " << i;
    }

    const Numbers number = number_by_cluster(parent, cluster);
    Numbers sorted = number, order(number.size());
    std::sort(sorted.begin(), sorted.end());
    for (std::int32_t i = 0; i < count; ++i) {
      EXPECT_EQ(at(sorted, i), i);
      order[static_cast<std::size_t>(at(number, i))] = i;
      if (at(parent, i) >= 0) {
        EXPECT_LT(at(number, at(parent, i)), at(number, i));
      }
    }
    // The bodies of a cluster stand in a row.
    std::map<std::int32_t, std::int32_t> last;
    for (std::int32_t n = 0; n < count; ++n) {
      const std::int32_t own = at(cluster, at(order, n));
      if (own < 0) continue;
      if (last.count(own) > 0) {
        EXPECT_EQ(last[own], n - 1);
      }
      last[own] = n;
    }
  }
}

}  // namespace
}  // namespace tenon::testing
