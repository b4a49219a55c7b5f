// Checks constraints and builds the arrays that kernels read: frames and custom rows in body frames, items
// sorted by node, supporting nodes, and the common ancestor of the two bodies of a closure.
#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <string>

#include "mechanism/description.hpp"
#include "model/body_poses.hpp"
#include "model/row_scale.hpp"
#include "scalar/finite.hpp"
#include "scalar/index.hpp"
#include "tenon/constraints.hpp"

namespace tenon {
namespace {

constexpr std::size_t rows_per_item = 6;

std::size_t rows_of(const ConstraintSpec& spec) {
  return spec.custom.empty() ? std::bitset<32>(spec.rows).count() : spec.custom.size() / 6;
}

class SpecChecker {
 public:
  SpecChecker(const ConstraintSpec& spec, std::size_t number, const Model& model)
      : spec_(spec), model_(model) {
    who_ = "constraint " + std::to_string(number) + (spec.name.empty() ? "" : " " + quoted(spec.name)) + ": ";
  }

  void run() const {
    check_link("link", spec_.link, spec_.closure);
    if (spec_.closure) check_closure();
    if (spec_.axes != RowAxes::link && spec_.axes != RowAxes::world)
      reject(Status::invalid_argument, "axes is neither link nor world; choose one of the two");
    if (spec_.custom.empty())
      check_rows();
    else
      check_custom();
    check_gain(spec_.frequency, "frequency");
    check_gain(spec_.damping_ratio, "damping ratio");
    check_per_row(spec_.weight, "weight");
    check_per_row(spec_.compliance, "compliance");
    for (const double weight : spec_.weight) {
      if (weight <= 0) reject(Status::invalid_argument, "a weight is not positive; give weights above zero");
    }
    for (const double compliance : spec_.compliance) {
      if (compliance < 0)
        reject(Status::invalid_argument, "a compliance is negative; give zero for a rigid row, or more");
    }
  }

 private:
  [[noreturn]] void reject(Status status, const std::string& text) const { throw Error(status, who_ + text); }

  void check_link(const std::string& what, int link, bool or_world) const {
    const int links = count_of(model_.links);
    if ((link < 0 && !(or_world && link == -1)) || link >= links)
      reject(Status::out_of_range, what + " " + std::to_string(link) +
                                       " does not exist; give an index from 0 to " +
                                       std::to_string(links - 1) + (or_world ? ", or -1 for the world" : ""));
  }

  void check_closure() const {
    check_link("second link", spec_.second_link, true);
    if (spec_.link == spec_.second_link)
      reject(Status::invalid_argument, "both of its frames are on the same link; a closure needs two");
    if (!spec_.custom.empty())
      reject(Status::unsupported,
             "a closure has no custom rows; choose among the six rows of its first frame");
    if (spec_.axes != RowAxes::link)
      reject(Status::unsupported,
             "a closure has no rows along the world's axes, but along its first frame; set axes to link");
    check_frame(spec_.second_frame, "second frame");
  }

  void check_rows() const {
    if (spec_.rows == 0)
      reject(Status::invalid_argument, "it holds no row; set at least one of the six bits of rows");
    if (spec_.rows > rows_all)
      reject(Status::invalid_argument, "rows has bits beyond the six rows of a frame; use bits 0 to 5 only");
    check_frame(spec_.frame, "frame");
  }

  void check_frame(const Pose& frame, const std::string& what) const {
    if (!all_finite(frame.rotation) || !all_finite(frame.translation))
      reject(Status::not_finite, "its " + what + " is not finite; give finite numbers");
    if (rotation_defect(frame.rotation) > rotation_tolerance)
      reject(Status::invalid_argument,
             "the rotation of its " + what + " is no rotation matrix; give an orthonormal right-handed one");
  }

  void check_custom() const {
    if (spec_.custom.size() % 6 != 0)
      reject(Status::wrong_size,
             "custom rows hold " + std::to_string(spec_.custom.size()) + " numbers; give six for each row");
    if (!all_finite(spec_.custom))
      reject(Status::not_finite, "a custom row is not finite; give finite numbers");
    if (spec_.axes != RowAxes::link)
      reject(Status::unsupported, "custom rows are given in the link frame; set axes to link");
  }

  void check_gain(double value, const std::string& what) const {
    if (!std::isfinite(value)) reject(Status::not_finite, what + " is not finite; give zero or more");
    if (value < 0) reject(Status::invalid_argument, what + " is negative; give zero or more");
  }

  void check_per_row(const std::vector<double>& values, const std::string& what) const {
    if (!values.empty() && values.size() != rows_of(spec_))
      reject(Status::wrong_size, std::to_string(values.size()) + " values of " + what + " for " +
                                     std::to_string(rows_of(spec_)) +
                                     " rows; give one for each row, or none");
    if (!all_finite(values)) reject(Status::not_finite, "a " + what + " is not finite; give finite numbers");
  }

  const ConstraintSpec& spec_;
  const Model& model_;
  std::string who_;
};

// The frame of a link (-1: of the world) in its body's frame, into R and p. Returns the body.
std::int32_t place_frame(const Model& model, int link, Pose frame, double* R, double* p) {
  frame.rotation = nearest_rotation(frame.rotation);
  if (link >= 0) frame = model.links[index(link)].in_body * frame;
  store(frame, R, p);
  return link >= 0 ? model.links[index(link)].body : -1;
}

// The two bodies, and the one that its rows are numbered with.
void place_closure(const Model& model, const ConstraintSpec& spec, ConstraintItem& item) {
  item.closure = 1;
  item.first = item.node;
  item.second = place_frame(model, spec.second_link, spec.second_frame, item.R2, item.p2);
  item.meet = common_ancestor(model.nodes, item.first, item.second);
  if (item.first == item.second) {
    item.node = -1;
  } else if (item.first < 0 || item.second < 0) {
    item.node = std::max(item.first, item.second);
  } else {
    item.side_row = 0;
    item.node = item.meet;
    for (std::int32_t i = item.first; item.meet < 0 && i >= 0; i = model.nodes[index(i)].parent)
      item.node = i;
  }
}

ConstraintItem item_of(const ConstraintSpec& spec, const Model& model) {
  ConstraintItem item{};
  item.node = place_frame(model, spec.link, spec.frame, item.R, item.p);
  item.rows = spec.rows;
  item.world_axes = spec.axes == RowAxes::world ? 1 : 0;
  item.custom = -1;
  item.first = item.second = item.meet = item.side_row = -1;
  if (spec.closure) place_closure(model, spec, item);
  return item;
}

// K_body V_body = K_link V_link makes a row transform like a force.
void append_custom(const ConstraintSpec& spec, const Model::Link& link, std::vector<double>& custom) {
  const Placement X = to_placement(link.in_body);
  for (std::size_t i = 0; i < spec.custom.size(); i += 6) {
    double row[6];
    store(row, force_to_parent(X, load_force<double>(spec.custom.data() + i)));
    custom.insert(custom.end(), row, row + 6);
  }
}

void append_per_row(const std::vector<double>& given, std::size_t rows, double otherwise,
                    std::vector<double>& all) {
  if (given.empty())
    all.insert(all.end(), rows, otherwise);
  else
    all.insert(all.end(), given.begin(), given.end());
}

}  // namespace

ConstraintSpec point_constraint(int link, const Vector3& point, RowAxes axes) {
  ConstraintSpec spec;
  spec.link = link;
  spec.frame.translation = point;
  spec.rows = rows_linear;
  spec.axes = axes;
  return spec;
}

ConstraintSpec weld_constraint(int link, const Pose& frame, RowAxes axes) {
  ConstraintSpec spec;
  spec.link = link;
  spec.frame = frame;
  spec.axes = axes;
  return spec;
}

ConstraintSpec closure_constraint(int link, const Pose& frame, int second_link, const Pose& second_frame,
                                  std::uint32_t rows) {
  ConstraintSpec spec;
  spec.link = link;
  spec.frame = frame;
  spec.rows = rows;
  spec.closure = true;
  spec.second_link = second_link;
  spec.second_frame = second_frame;
  return spec;
}

std::shared_ptr<const ConstraintSet> ConstraintSet::bind(std::shared_ptr<const Model> model,
                                                         std::vector<ConstraintSpec> specs) {
  if (!model)
    throw Error(Status::invalid_argument, "constraints need a model to be bound to; compile one first");
  for (const Model::RowLoop& loop : model->row_loops) {
    specs.push_back(closure_constraint(loop.predecessor, loop.predecessor_frame, loop.successor,
                                       loop.successor_frame, loop.rows));
    specs.back().name = loop.name;
  }
  for (std::size_t i = 0; i < specs.size(); ++i) SpecChecker(specs[i], i, *model).run();
  const auto set = std::make_shared<ConstraintSet>();
  set->model_ = std::move(model);
  set->specs_ = std::move(specs);
  set->add_items();
  set->sort_items();
  set->number_rows();
  set->bound_moved_rows();
  set->publish();
  set->fold();
  return set;
}

void ConstraintSet::add_items() {
  std::size_t row = 0;
  for (const ConstraintSpec& spec : specs_) {
    const std::size_t rows = rows_of(spec);
    first_row_.push_back(static_cast<std::int32_t>(row));
    ConstraintItem item = item_of(spec, *model_);
    item.constraint = count_of(first_row_) - 1;
    const std::size_t first_custom = custom_.size() / 6;
    if (!spec.custom.empty()) append_custom(spec, model_->links[index(spec.link)], custom_);
    // Kernels have six places for the rows of an item; longer custom constraints become several items.
    for (std::size_t done = 0; done < rows; done += rows_per_item) {
      item.row_begin = static_cast<std::int32_t>(row + done);
      item.row_count = static_cast<std::int32_t>(std::min(rows_per_item, rows - done));
      if (!spec.custom.empty()) {
        item.rows = 0;
        item.custom = static_cast<std::int32_t>(first_custom + done);
      }
      items_.push_back(item);
    }
    append_per_row(spec.weight, rows, 1, weight_);
    append_per_row(spec.compliance, rows, 0, compliance_);
    row += rows;
  }
  first_row_.push_back(static_cast<std::int32_t>(row));
}

// Sorts by node; the inter-body rows of a node come last.
void ConstraintSet::sort_items() {
  std::stable_sort(items_.begin(), items_.end(), [](const ConstraintItem& a, const ConstraintItem& b) {
    return a.node != b.node ? a.node < b.node : a.side_row < 0 && b.side_row >= 0;
  });
  const std::size_t nodes = model_->nodes.size();
  std::vector<char> carries(nodes, 0);
  for (const ConstraintItem& item : items_) {
    const bool inter_body = item.side_row >= 0;
    for (std::int32_t i : {item.node, inter_body ? item.first : -1, inter_body ? item.second : -1}) {
      while (i >= 0 && !carries[index(i)]) {
        carries[index(i)] = 1;
        i = model_->nodes[index(i)].parent;
      }
    }
  }
  // All bodies of a cluster support what one of them does, because their joints move together.
  for (const ClusterData& c : model_->loops.clusters) {
    const auto begin = carries.begin() + c.node_begin, end = begin + c.node_count;
    if (std::find(begin, end, 1) != end) std::fill(begin, end, char(1));
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    if (carries[i]) support_.push_back(static_cast<std::int32_t>(i));
  }
}

// Before this, row_begin of an item is the user's number.
void ConstraintSet::number_rows() {
  const std::vector<double> weight = weight_, compliance = compliance_;
  const std::size_t nodes = model_->nodes.size();
  node_row_first_.assign(nodes + 1, 0);
  user_row_.clear();
  for (ConstraintItem& item : items_) {
    const std::int32_t first = item.row_begin;
    item.row_begin = count_of(user_row_);
    if (item.side_row >= 0) {
      item.side_row = data_.inter_body_row_count;
      data_.inter_body_row_count += item.row_count;
      inter_body_.push_back(static_cast<std::int32_t>(&item - items_.data()));
    }
    for (std::int32_t r = 0; r < item.row_count; ++r) {
      const std::size_t from = index(first + r);
      weight_[user_row_.size()] = weight[from];
      compliance_[user_row_.size()] = compliance[from];
      user_row_.push_back(first + r);
    }
    node_row_first_[index(item.node + 1)] += item.row_count;
  }
  for (std::size_t i = 1; i <= nodes; ++i) node_row_first_[i] += node_row_first_[i - 1];
  subtree_row_end_.assign(node_row_first_.begin() + 1, node_row_first_.end());
  for (std::size_t i = nodes; i-- > 0;) {
    const std::int32_t parent = model_->nodes[i].parent;
    if (parent < 0) continue;
    std::int32_t& end = subtree_row_end_[index(parent)];
    end = std::max(end, subtree_row_end_[i]);
  }
}

void ConstraintSet::bound_moved_rows() {
  moved_begin_.assign(node_row_first_.begin(), node_row_first_.end() - 1);
  moved_end_ = subtree_row_end_;
  for (const std::int32_t inter_body : inter_body_) {
    const ConstraintItem& item = items_[index(inter_body)];
    for (std::int32_t i : {item.first, item.second}) {
      for (; i != item.meet; i = model_->nodes[index(i)].parent) {
        std::int32_t& begin = moved_begin_[index(i)];
        std::int32_t& end = moved_end_[index(i)];
        const bool none = begin == end;
        const std::int32_t last = item.row_begin + item.row_count;
        begin = none ? item.row_begin : std::min(begin, item.row_begin);
        end = none ? last : std::max(end, last);
      }
    }
  }
}

void ConstraintSet::publish() {
  data_.item_count = count_of(items_);
  data_.row_count = count_of(weight_);
  data_.poses = ConstraintPoses::none;
  for (const ConstraintItem& item : items_) {
    const ConstraintSpec& spec = specs_[index(item.constraint)];
    data_.poses = std::max(data_.poses, needed_poses(item, spec.frequency));
    gains_.insert(gains_.end(), {spec.frequency, spec.damping_ratio});
    anchors_.insert(anchors_.end(), {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
    frames_.insert(frames_.end(), item.R, item.R + 9), frames_.insert(frames_.end(), item.p, item.p + 3);
  }
  data_.anchors = anchors_.data();
  data_.gains = gains_.data();
  data_.frames = frames_.data();
  data_.items = items_.data();
  data_.custom = custom_.data();
  data_.weight = weight_.data();
  data_.compliance = compliance_.data();
  active_.assign(weight_.size(), 1);
  data_.active = active_.data();
  data_.support_count = count_of(support_);
  data_.support = support_.data();
  data_.user_row = user_row_.data();
  data_.node_row_first = node_row_first_.data();
  data_.subtree_row_end = subtree_row_end_.data();
  data_.inter_body_count = count_of(inter_body_);
  data_.inter_body = inter_body_.data();
  data_.moved_begin = moved_begin_.data();
  data_.moved_end = moved_end_.data();
  RowScale sized = row_scale(*model_, data_);
  scale_ = std::move(sized.scale);
  data_.least_leverage = sized.least_leverage;
  joint_inertia_ = std::move(sized.joint_inertia);
  data_.joint_inertia = joint_inertia_.data();
  for (const double scale : scale_) {
    root_scale_.push_back(std::sqrt(scale));
    per_root_scale_.push_back(1 / root_scale_.back());
  }
  data_.scale = scale_.data();
  data_.root_scale = root_scale_.data();
  data_.per_root_scale = per_root_scale_.data();
}

void ConstraintSet::fold() {
  if (!model_->folding) return;
  const std::vector<std::int32_t>& rotors = model_->folding->rotor_node;
  const auto on_rotor = [&](int link) {
    return link >= 0 &&
           std::find(rotors.begin(), rotors.end(), model_->links[index(link)].body) != rotors.end();
  };
  for (const ConstraintSpec& spec : specs_)
    if (on_rotor(spec.link) || on_rotor(spec.second_link)) return;
  folded_ = bind(model_->folding->model, specs_);
}

}  // namespace tenon
