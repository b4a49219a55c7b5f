// A file of the numbers of independent programs (tests/golden/data/README.md): its robot and its contacts
// through tenon.h, and its states in the order of tenon.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "golden/files.hpp"
#include "support.hpp"

namespace tenon_test {

using Json = nlohmann::json;
using Vector = std::vector<double>;

inline double norm(const Vector& x) {
  double sum = 0;
  for (const double e : x) sum += e * e;
  return std::sqrt(sum);
}

inline double relative_error(Vector x, const Vector& expected) {
  for (size_t i = 0; i < x.size(); ++i) x[i] -= expected[i];
  return norm(x) / std::max(1e-300, norm(expected));
}

struct GoldenFile {
  explicit GoldenFile(const std::string& stem)
      : file(Json::parse(std::ifstream(std::string(TENON_GOLDEN_DIR "/") + stem + ".json"))),
        cases(file.at("cases")) {
    std::string name = file.at("urdf");
    name.resize(name.size() - 5);
    const bool floating = file.at("base") == "floating";
    model = load(name, floating ? TENON_BASE_FLOATING : TENON_BASE_FIXED);
    if (floating) {
      for (int32_t k = 0; k < 6; ++k) v_index.push_back(k);
      for (int32_t k = 0; k < 7; ++k) q_index.push_back(k);
    }
    for (const Json& joint : file.at("joints")) {
      int32_t index = -1;
      EXPECT_EQ(tenon_model_find_joint(model.get(), joint.get<std::string>().c_str(), &index, nullptr, 0),
                TENON_OK);
      tenon_joint_info info;
      EXPECT_EQ(tenon_joint_info_init(&info, sizeof info), TENON_OK);
      EXPECT_EQ(tenon_model_joint_info(model.get(), index, &info), TENON_OK);
      v_index.push_back(info.v_index);
      q_index.push_back(info.q_index);
    }
    // Two rows of cassie are redundant but for rounding.
    tolerance = name == "cassie" ? 1e-5 : 1e-8;
  }

  static Vector scattered(const Json& list, const std::vector<int32_t>& index) {
    Vector x(index.size());
    for (size_t i = 0; i < index.size(); ++i) x[static_cast<size_t>(index[i])] = list[i].get<double>();
    return x;
  }
  Vector velocity(const Json& list) const { return scattered(list, v_index); }
  Vector configuration(const Json& state) const {
    Json q = state.at("q_base");
    q.insert(q.end(), state.at("q_joints").begin(), state.at("q_joints").end());
    return scattered(q, q_index);
  }

  // Null where the file has none.
  Constraints contacts() const {
    if (file.at("contacts").empty()) return nullptr;
    Constraints set = constraints(model);
    for (const Json& contact : file.at("contacts")) {
      double pose[7] = {0, 0, 0, 0, 0, 0, 1};
      for (size_t i = 0; i < 3; ++i) pose[i] = contact.at("point")[i].get<double>();
      const int32_t foot = link(model, contact.at("link").get<std::string>().c_str());
      EXPECT_EQ(contact.at("dim") == 6
                    ? tenon_constraints_add_weld(set.get(), foot, pose, 7, nullptr, nullptr, nullptr, 0)
                    : tenon_constraints_add_point(set.get(), foot, pose, 3, nullptr, nullptr, nullptr, 0),
                TENON_OK);
    }
    EXPECT_EQ(tenon_constraints_finish(set.get(), nullptr, 0), TENON_OK);
    return set;
  }

  Json file, cases;
  Model model;
  std::vector<int32_t> q_index, v_index;
  double tolerance;  // of accelerations with loops closed
};

// The name of a test from that of a file.
inline std::string test_name(std::string stem) {
  std::replace(stem.begin(), stem.end(), '.', '_');
  return stem;
}

}  // namespace tenon_test
