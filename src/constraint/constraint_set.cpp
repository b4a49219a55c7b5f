// Checks constraints and turns them into the arrays the kernels read: frames and custom rows in body frames,
// items sorted by node, the nodes that carry them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "constraint/row_scale.hpp"
#include "model/description.hpp"
#include "model/placement.hpp"
#include "tenon/constraints.hpp"

namespace tenon {
namespace {

constexpr std::size_t rows_per_item = 6;

template <class Numbers>
bool all_finite(const Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

std::size_t bit_count(std::uint32_t bits) {
  std::size_t count = 0;
  for (; bits != 0; bits &= bits - 1) ++count;
  return count;
}

std::size_t rows_of(const ConstraintSpec& spec) {
  return spec.custom.empty() ? bit_count(spec.rows) : spec.custom.size() / 6;
}

class SpecChecker {
 public:
  SpecChecker(const ConstraintSpec& spec, std::size_t number, const Model& model)
      : spec_(spec), model_(model) {
    who_ = "constraint " + std::to_string(number) + (spec.name.empty() ? "" : " " + quoted(spec.name)) + ": ";
  }

  void run() const {
    const int links = static_cast<int>(model_.links.size());
    if (spec_.link < 0 || spec_.link >= links) {
      reject(Status::out_of_range, "link " + std::to_string(spec_.link) +
                                       " does not exist; give an index from 0 to " +
                                       std::to_string(links - 1));
    }
    if (spec_.axes != RowAxes::link && spec_.axes != RowAxes::world) {
      reject(Status::invalid_argument, "axes is neither link nor world; choose one of the two");
    }
    if (spec_.custom.empty())
      check_frame();
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

  void check_frame() const {
    if (spec_.rows == 0) {
      reject(Status::invalid_argument, "it holds no row; set at least one of the six bits of rows");
    }
    if (spec_.rows > rows_all) {
      reject(Status::invalid_argument, "rows has bits beyond the six rows of a frame; use bits 0 to 5 only");
    }
    if (!all_finite(spec_.frame.rotation) || !all_finite(spec_.frame.translation)) {
      reject(Status::not_finite, "its frame is not finite; give finite numbers");
    }
    if (rotation_defect(spec_.frame.rotation) > rotation_tolerance) {
      reject(Status::invalid_argument,
             "the rotation of its frame is no rotation matrix; give an orthonormal right-handed one");
    }
  }

  void check_custom() const {
    if (spec_.custom.size() % 6 != 0) {
      reject(Status::wrong_size,
             "custom rows hold " + std::to_string(spec_.custom.size()) + " numbers; give six for each row");
    }
    if (!all_finite(spec_.custom))
      reject(Status::not_finite, "a custom row is not finite; give finite numbers");
    if (spec_.axes != RowAxes::link) {
      reject(Status::unsupported, "custom rows are given in the link frame; set axes to link");
    }
  }

  void check_gain(double value, const std::string& what) const {
    if (!std::isfinite(value)) reject(Status::not_finite, what + " is not finite; give zero or more");
    if (value < 0) reject(Status::invalid_argument, what + " is negative; give zero or more");
  }

  void check_per_row(const std::vector<double>& values, const std::string& what) const {
    if (!values.empty() && values.size() != rows_of(spec_)) {
      reject(Status::wrong_size, std::to_string(values.size()) + " values of " + what + " for " +
                                     std::to_string(rows_of(spec_)) +
                                     " rows; give one for each row, or none");
    }
    if (!all_finite(values)) reject(Status::not_finite, "a " + what + " is not finite; give finite numbers");
  }

  const ConstraintSpec& spec_;
  const Model& model_;
  std::string who_;
};

ConstraintItem item_of(const ConstraintSpec& spec, const Model::Link& link) {
  Pose frame = spec.frame;
  frame.rotation = nearest_rotation(frame.rotation);
  const Pose in_body = link.in_body * frame;
  ConstraintItem item{};
  item.node = link.body;
  item.rows = spec.rows;
  item.world_axes = spec.axes == RowAxes::world ? 1 : 0;
  item.custom = -1;
  std::copy(in_body.rotation.begin(), in_body.rotation.end(), item.R);
  std::copy(in_body.translation.begin(), in_body.translation.end(), item.p);
  item.frequency = spec.frequency;
  item.damping_ratio = spec.damping_ratio;
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

std::shared_ptr<const ConstraintSet> ConstraintSet::bind(std::shared_ptr<const Model> model,
                                                         std::vector<ConstraintSpec> specs) {
  if (!model)
    throw Error(Status::invalid_argument, "constraints need a model to be bound to; compile one first");
  for (std::size_t i = 0; i < specs.size(); ++i) SpecChecker(specs[i], i, *model).run();
  const auto set = std::make_shared<ConstraintSet>();
  set->model_ = std::move(model);
  set->specs_ = std::move(specs);
  set->add_items();
  set->sort_items();
  set->number_rows();
  set->publish();
  return set;
}

void ConstraintSet::add_items() {
  std::size_t row = 0;
  for (const ConstraintSpec& spec : specs_) {
    const Model::Link& link = model_->links[static_cast<std::size_t>(spec.link)];
    const std::size_t rows = rows_of(spec);
    first_row_.push_back(static_cast<std::int32_t>(row));
    ConstraintItem item = item_of(spec, link);
    item.constraint = static_cast<std::int32_t>(first_row_.size()) - 1;
    const std::size_t first_custom = custom_.size() / 6;
    append_custom(spec, link, custom_);
    // Kernels hold the rows of an item in six places; longer custom constraints become several items.
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
}

void ConstraintSet::sort_items() {
  std::stable_sort(items_.begin(), items_.end(),
                   [](const ConstraintItem& a, const ConstraintItem& b) { return a.node < b.node; });
  const std::size_t nodes = model_->nodes.size();
  std::vector<char> carries(nodes, 0);
  node_first_.assign(nodes + 1, 0);
  for (const ConstraintItem& item : items_) {
    ++node_first_[static_cast<std::size_t>(item.node + 1)];
    for (std::int32_t i = item.node; i >= 0 && !carries[static_cast<std::size_t>(i)];) {
      carries[static_cast<std::size_t>(i)] = 1;
      i = model_->nodes[static_cast<std::size_t>(i)].parent;
    }
  }
  // Counts, the world's in front, become positions: node_first_[i] is behind the items of all nodes before i.
  for (std::size_t i = 1; i <= nodes; ++i) node_first_[i] += node_first_[i - 1];
  for (std::size_t i = 0; i < nodes; ++i) {
    if (carries[i]) support_.push_back(static_cast<std::int32_t>(i));
  }
}

// Until here an item's row_begin was the user's number.
void ConstraintSet::number_rows() {
  const std::vector<double> weight = weight_, compliance = compliance_;
  const std::size_t nodes = model_->nodes.size();
  node_row_first_.assign(nodes + 1, 0);
  user_row_.clear();
  for (ConstraintItem& item : items_) {
    const std::int32_t first = item.row_begin;
    item.row_begin = static_cast<std::int32_t>(user_row_.size());
    for (std::int32_t r = 0; r < item.row_count; ++r) {
      const std::size_t from = static_cast<std::size_t>(first + r);
      weight_[user_row_.size()] = weight[from];
      compliance_[user_row_.size()] = compliance[from];
      user_row_.push_back(first + r);
    }
    node_row_first_[static_cast<std::size_t>(item.node + 1)] += item.row_count;
  }
  for (std::size_t i = 1; i <= nodes; ++i) node_row_first_[i] += node_row_first_[i - 1];
  subtree_row_end_.assign(node_row_first_.begin() + 1, node_row_first_.end());
  for (std::size_t i = nodes; i-- > 0;) {
    const std::int32_t parent = model_->nodes[i].parent;
    if (parent < 0) continue;
    std::int32_t& end = subtree_row_end_[static_cast<std::size_t>(parent)];
    end = std::max(end, subtree_row_end_[i]);
  }
}

void ConstraintSet::publish() {
  data_.item_count = static_cast<std::int32_t>(items_.size());
  data_.row_count = static_cast<std::int32_t>(weight_.size());
  data_.poses = ConstraintPoses::none;
  for (const ConstraintItem& item : items_) {
    if (item.world_axes != 0) data_.poses = std::max(data_.poses, ConstraintPoses::axes);
    if (item.frequency > 0) data_.poses = ConstraintPoses::with_errors;
  }
  data_.items = items_.data();
  data_.custom = custom_.data();
  data_.weight = weight_.data();
  data_.compliance = compliance_.data();
  data_.support_count = static_cast<std::int32_t>(support_.size());
  data_.support = support_.data();
  data_.node_first = node_first_.data();
  data_.user_row = user_row_.data();
  data_.node_row_first = node_row_first_.data();
  data_.subtree_row_end = subtree_row_end_.data();
  scale_ = row_scale(*model_, data_);
  data_.scale = scale_.data();
}

}  // namespace tenon
