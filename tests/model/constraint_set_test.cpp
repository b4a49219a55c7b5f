// Checks of constraints and the arrays made of them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/body_poses.hpp"
#include "model/small_mechanisms.hpp"
#include "support/random_mechanism.hpp"
#include "tenon/constraints.hpp"

namespace tenon {
namespace {

using testing::expect_error;
using testing::joint_between;
using testing::solid_link;
using testing::two_link_arm;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// trunk (world) - left - left_foot, trunk - right; the joint frames are turned so that link and body frames
// differ.
std::shared_ptr<const Model> biped() {
  Mechanism mechanism;
  for (const char* name : {"trunk", "left", "left_foot", "right"})
    mechanism.links.push_back(solid_link(name));
  mechanism.joints = {joint_between("l1", JointType::revolute, "trunk", "left", {0, 0, 1}),
                      joint_between("l2", JointType::revolute, "left", "left_foot", {1, 2, 0}),
                      joint_between("r1", JointType::prismatic, "trunk", "right", {0, -1, 0})};
  for (MechanismJoint& joint : mechanism.joints) joint.origin.rotation = rotation_from_rpy(0.4, -0.2, 1.1);
  return Model::compile(mechanism);
}

void expect_refused(const ConstraintSpec& spec, Status status, const std::vector<std::string>& words) {
  expect_error(status, words, [&] { ConstraintSet::bind(biped(), {point_constraint(1, {}), spec}); });
}

ConstraintSpec named_weld() {
  ConstraintSpec spec = weld_constraint(2, {});
  spec.name = "sole";
  return spec;
}

TEST(ConstraintSet, NeedsAModel) {
  expect_error(Status::invalid_argument, {"model"}, [] { ConstraintSet::bind(nullptr, {}); });
}

TEST(ConstraintSet, RefusesUnknownLinks) {
  for (const int link : {-1, 4}) {
    ConstraintSpec spec = named_weld();
    spec.link = link;
    expect_refused(spec, Status::out_of_range, {"constraint 1 'sole'", std::to_string(link), "0 to 3"});
  }
}

TEST(ConstraintSet, RefusesEmptyAndUnknownRows) {
  ConstraintSpec spec = named_weld();
  spec.rows = 0;
  expect_refused(spec, Status::invalid_argument, {"constraint 1 'sole'", "no row"});
  spec.rows = 0x41;
  expect_refused(spec, Status::invalid_argument, {"constraint 1 'sole'", "bits"});
  spec = named_weld();
  spec.axes = static_cast<RowAxes>(2);
  expect_refused(spec, Status::invalid_argument, {"constraint 1 'sole'", "axes"});
}

TEST(ConstraintSet, RefusesBadFrames) {
  ConstraintSpec spec = named_weld();
  spec.frame.translation[1] = nan;
  expect_refused(spec, Status::not_finite, {"constraint 1 'sole'", "frame"});
  spec = named_weld();
  spec.frame.rotation[0] = 1.1;
  expect_refused(spec, Status::invalid_argument, {"constraint 1 'sole'", "no rotation matrix"});
  spec.frame.rotation = {1, 0, 0, 0, 1, 0, 0, 0, -1};
  expect_refused(spec, Status::invalid_argument, {"constraint 1 'sole'", "no rotation matrix"});
}

TEST(ConstraintSet, RefusesBadCustomRows) {
  ConstraintSpec spec = named_weld();
  spec.custom.assign(7, 1.0);
  expect_refused(spec, Status::wrong_size, {"constraint 1 'sole'", "7 numbers", "six for each row"});
  spec.custom.assign(6, nan);
  expect_refused(spec, Status::not_finite, {"constraint 1 'sole'", "custom row"});
  spec.custom.assign(6, 1.0);
  spec.axes = RowAxes::world;
  expect_refused(spec, Status::unsupported, {"constraint 1 'sole'", "link frame"});
}

TEST(ConstraintSet, RefusesBadGainsWeightsAndCompliances) {
  ConstraintSpec spec = named_weld();
  spec.frequency = -1;
  expect_refused(spec, Status::invalid_argument, {"constraint 1 'sole'", "frequency is negative"});
  spec = named_weld();
  spec.damping_ratio = nan;
  expect_refused(spec, Status::not_finite, {"constraint 1 'sole'", "damping ratio is not finite"});
  spec = named_weld();
  spec.weight.assign(5, 1.0);
  expect_refused(spec, Status::wrong_size, {"constraint 1 'sole'", "5 values of weight for 6 rows"});
  spec.weight.assign(6, 1.0);
  spec.weight[3] = 0;
  expect_refused(spec, Status::invalid_argument, {"constraint 1 'sole'", "weight is not positive"});
  spec = named_weld();
  spec.compliance.assign(6, 0.0);
  spec.compliance[2] = -1;
  expect_refused(spec, Status::invalid_argument, {"constraint 1 'sole'", "compliance is negative"});
  spec.compliance[2] = nan;
  expect_refused(spec, Status::not_finite, {"constraint 1 'sole'", "compliance is not finite"});
}

TEST(ConstraintSet, SortsItemsByNodeAndNumbersTheirRows) {
  ConstraintSpec two_rows = weld_constraint(3, {}, RowAxes::world);
  two_rows.rows = 0x21;
  const auto set = ConstraintSet::bind(
      biped(), {two_rows, point_constraint(0, {}), weld_constraint(1, {}), point_constraint(1, {1, 2, 3})});
  const ConstraintData& data = set->data();
  ASSERT_EQ(data.item_count, 4);
  ASSERT_EQ(set->row_count(), 14);
  const int nodes[] = {-1, 0, 0, 2}, counts[] = {3, 6, 3, 2}, constraints[] = {1, 2, 3, 0};
  int row = 0;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(data.items[i].node, nodes[i]);
    EXPECT_EQ(data.items[i].constraint, constraints[i]);
    EXPECT_EQ(data.items[i].row_begin, row);
    EXPECT_EQ(data.items[i].row_count, counts[i]);
    EXPECT_EQ(data.items[i].custom, -1);
    for (int r = 0; r < counts[i]; ++r) EXPECT_EQ(data.user_row[row + r], set->first_row(constraints[i]) + r);
    row += counts[i];
  }
  EXPECT_EQ(data.items[3].world_axes, 1);
  EXPECT_EQ(data.items[0].world_axes, 0);
  const int first_row[] = {0, 2, 5, 11};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(set->first_row(i), first_row[i]);
}

TEST(ConstraintSet, RowsOfASubtreeAreContiguous) {
  const auto set = ConstraintSet::bind(biped(), {point_constraint(2, {}), point_constraint(0, {}),
                                                 weld_constraint(1, {}), point_constraint(3, {})});
  const ConstraintData& data = set->data();
  const int node_row_first[] = {3, 9, 12, 15}, subtree_row_end[] = {12, 12, 15};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(data.node_row_first[i], node_row_first[i]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(data.subtree_row_end[i], subtree_row_end[i]);
}

TEST(ConstraintSet, SupportIsWhatCarriesConstrainedBodies) {
  const auto foot = ConstraintSet::bind(biped(), {point_constraint(2, {})});
  ASSERT_EQ(foot->data().support_count, 2);
  EXPECT_EQ(foot->data().support[0], 0);
  EXPECT_EQ(foot->data().support[1], 1);
  const auto right = ConstraintSet::bind(biped(), {point_constraint(3, {})});
  ASSERT_EQ(right->data().support_count, 1);
  EXPECT_EQ(right->data().support[0], 2);
  const auto world = ConstraintSet::bind(biped(), {point_constraint(0, {})});
  EXPECT_EQ(world->data().support_count, 0);
}

TEST(ConstraintSet, FramesAreGivenInTheBodyFrame) {
  const auto model = biped();
  const Pose frame = {rotation_from_rpy(0.1, 0.2, 0.3), {0.3, 0.2, 0.1}};
  const auto set = ConstraintSet::bind(model, {weld_constraint(2, frame)});
  const Pose expected = model->links[2].in_body * frame;
  for (int i = 0; i < 9; ++i) {
    EXPECT_NEAR(set->data().items[0].R[i], expected.rotation[static_cast<std::size_t>(i)], 1e-15);
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(set->data().items[0].p[i], expected.translation[static_cast<std::size_t>(i)], 1e-15);
  }
}

TEST(ConstraintSet, CustomRowsSeeTheSameMotionFromTheBodyFrame) {
  Mechanism mechanism = two_link_arm();
  mechanism.links.push_back(solid_link("tool"));
  mechanism.joints.push_back(joint_between("mount", JointType::fixed, "lower", "tool"));
  mechanism.joints.back().origin.rotation = rotation_from_rpy(0.4, 0.5, 0.6);
  const auto model = Model::compile(mechanism);
  testing::Random random(3);
  ConstraintSpec spec;
  spec.link = model->find_link("tool");
  for (int i = 0; i < 12; ++i) spec.custom.push_back(random.uniform(-1, 1));
  const auto set = ConstraintSet::bind(model, {point_constraint(1, {}), spec});
  const ConstraintItem& item = set->data().items[1];
  EXPECT_EQ(item.row_count, 2);
  EXPECT_EQ(item.rows, 0u);
  ASSERT_EQ(item.custom, 0);
  const Placement X = to_placement(model->links[static_cast<std::size_t>(spec.link)].in_body);
  const Motion<double> body = {load_vec3<double>(random.vector(1).data()),
                               load_vec3<double>(random.vector(1).data())};
  const Motion<double> link = motion_to_child(X, body);
  for (int r = 0; r < 2; ++r) {
    const double expected = dot(link, load_force<double>(spec.custom.data() + 6 * r));
    EXPECT_NEAR(dot(body, load_force<double>(set->data().custom + 6 * r)), expected, 1e-14);
  }
}

TEST(ConstraintSet, LongCustomConstraintsAreSeveralItems) {
  ConstraintSpec spec;
  spec.link = 2;
  spec.custom.assign(6 * 14, 0.0);
  for (std::size_t r = 0; r < 14; ++r) spec.custom[6 * r + r % 6] = static_cast<double>(r + 1);
  const auto set = ConstraintSet::bind(biped(), {spec, point_constraint(1, {})});
  const ConstraintData& data = set->data();
  ASSERT_EQ(data.item_count, 4);
  EXPECT_EQ(data.row_count, 17);
  EXPECT_EQ(set->first_row(1), 14);
  const int user_row[] = {14, 0, 6, 12}, count[] = {3, 6, 6, 2}, custom[] = {-1, 0, 6, 12};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(data.user_row[data.items[i].row_begin], user_row[i]);
    EXPECT_EQ(data.items[i].row_count, count[i]);
    EXPECT_EQ(data.items[i].custom, custom[i]);
  }
}

TEST(ConstraintSet, WeightsAndCompliancesFollowTheRows) {
  ConstraintSpec spec = point_constraint(3, {});
  spec.weight = {1, 2, 3};
  spec.compliance = {0.1, 0, 0.3};
  const auto set = ConstraintSet::bind(biped(), {spec, point_constraint(1, {})});
  const double weight[] = {1, 2, 3, 1, 1, 1}, compliance[] = {0.1, 0, 0.3, 0, 0, 0};
  for (int r = 0; r < 6; ++r) {
    const int user = set->data().user_row[r];
    EXPECT_EQ(user, (r + 3) % 6);
    EXPECT_EQ(set->data().weight[r], weight[user]);
    EXPECT_EQ(set->data().compliance[r], compliance[user]);
  }
}

TEST(ConstraintSet, RefusesBadClosures) {
  const auto with = [](auto change) {
    ConstraintSpec spec = closure_constraint(2, {}, 3, {});
    spec.name = "rod";
    change(spec);
    return spec;
  };
  expect_refused(with([](ConstraintSpec& s) { s.second_link = 7; }), Status::out_of_range,
                 {"constraint 1 'rod'", "second link 7", "0 to 3", "world"});
  expect_refused(with([](ConstraintSpec& s) { s.link = -2; }), Status::out_of_range, {"link -2", "world"});
  expect_refused(with([](ConstraintSpec& s) { s.second_link = 2; }), Status::invalid_argument,
                 {"same link", "two"});
  expect_refused(with([](ConstraintSpec& s) { s.link = s.second_link = -1; }), Status::invalid_argument,
                 {"same link"});
  expect_refused(with([](ConstraintSpec& s) { s.rows = 0; }), Status::invalid_argument, {"no row"});
  expect_refused(with([](ConstraintSpec& s) { s.axes = RowAxes::world; }), Status::unsupported,
                 {"no rows", "first frame"});
  expect_refused(with([](ConstraintSpec& s) { s.custom.assign(6, 1.0); }), Status::unsupported,
                 {"no custom rows"});
  expect_refused(with([](ConstraintSpec& s) { s.second_frame.rotation[0] = 2; }), Status::invalid_argument,
                 {"second frame"});
  expect_refused(with([](ConstraintSpec& s) { s.second_frame.translation[0] = nan; }), Status::not_finite,
                 {"second frame"});
}

// On the biped the two feet meet in the world: their rows are the last ones of the first foot's root.
TEST(ConstraintSet, InterBodyRowsAreNumberedWhereTheirLinksMeet) {
  const auto set = ConstraintSet::bind(
      biped(), {closure_constraint(2, {}, 3, {}, rows_linear), closure_constraint(2, {}, 1, {}, 1),
                point_constraint(1, {}), closure_constraint(0, {}, 3, {}, 3), point_constraint(3, {})});
  const ConstraintData& c = set->data();
  ASSERT_EQ(c.item_count, 5);
  const int nodes[] = {0, 0, 0, 2, 2}, side_rows[] = {-1, 0, 3, -1, -1}, begins[] = {0, 3, 6, 7, 9};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(c.items[i].node, nodes[i]) << i;
    EXPECT_EQ(c.items[i].side_row, side_rows[i]) << i;
    EXPECT_EQ(c.items[i].row_begin, begins[i]) << i;
  }
  EXPECT_EQ(c.items[1].meet, -1);
  EXPECT_EQ(c.items[2].meet, 0);
  EXPECT_EQ(c.inter_body_count, 2);
  EXPECT_EQ(c.inter_body_row_count, 4);
  EXPECT_EQ(c.support_count, 3);
  const int moved_begin[] = {0, 3, 3}, moved_end[] = {7, 7, 12};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(c.moved_begin[i], moved_begin[i]) << i;
    EXPECT_EQ(c.moved_end[i], moved_end[i]) << i;
  }
}

TEST(ConstraintSet, MayBeEmpty) {
  const auto set = ConstraintSet::bind(biped(), {});
  EXPECT_EQ(set->row_count(), 0);
  EXPECT_EQ(set->data().item_count, 0);
  for (int i = 0; i <= 3; ++i) EXPECT_EQ(set->data().node_row_first[i], 0);
}

}  // namespace
}  // namespace tenon
