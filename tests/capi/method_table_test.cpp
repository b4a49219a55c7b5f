// The table of tenon.h that says what each method takes: read out of the header and tried, cell by cell. "yes" is an
// answer that agrees with the dense method, "no" is TENON_UNSUPPORTED, "-" is nothing to try.
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"

using namespace tenon_test;

namespace {

const std::vector<std::string> features = {"two links", "loops",      "both",    "by rows",
                                           "dependent", "compliance", "tikhonov"};

struct Line {
  std::string kind, method;        // kind: "", "Delassus" or "damped"
  std::vector<std::string> cells;  // one a feature
};

std::vector<Line> table_of_the_header() {
  std::ifstream file(TENON_INCLUDE_DIR "/tenon/constrained.h");
  std::string text;
  while (std::getline(file, text) && text.find("     method     ") == std::string::npos) continue;
  std::vector<Line> lines;
  for (bool last = false; !last && std::getline(file, text);) {
    last = text.find("*/") != std::string::npos;
    std::istringstream words(text);
    std::string star;
    Line line;
    words >> star >> line.method;
    if (line.method == "Delassus" || line.method == "damped") line.kind = line.method, words >> line.method;
    for (std::string cell; words >> cell && cell != "*/";) line.cells.push_back(cell);
    lines.push_back(line);
  }
  return lines;
}

Model model_of(const char* name, int32_t treatment) {
  tenon_model_options options;
  EXPECT_EQ(tenon_model_options_init(&options, sizeof options), TENON_OK);
  options.base = TENON_BASE_FLOATING;
  options.loop_treatment = treatment;
  tenon_model* made = nullptr;
  char message[512] = "";
  EXPECT_EQ(tenon_model_load_urdf(model_path(name).c_str(), &options, &made, message, sizeof message),
            TENON_OK)
      << message;
  return Model(made);
}

// A robot and rows that show one feature.
struct Scene {
  Scene(const std::string& feature)
      : model(feature == "by rows"                      ? model_of("cassie", TENON_LOOP_TREATMENT_ROWS)
              : feature == "loops" || feature == "both" ? model_of("cassie", TENON_LOOP_TREATMENT_EMBED)
                                                        : model_of("atlas", TENON_LOOP_TREATMENT_EMBED)),
        set(constraints(model)) {
    const bool atlas = feature != "loops" && feature != "both" && feature != "by rows";
    tenon_constraint_options options;
    EXPECT_EQ(tenon_constraint_options_init(&options, sizeof options), TENON_OK);
    const std::vector<double> soft(6, 1e-3);
    if (feature == "compliance") options.compliance = soft.data(), options.compliance_count = soft.size();
    const int32_t left = link(model, atlas ? "l_foot" : "left-foot"),
                  right = link(model, atlas ? "r_foot" : "right-foot");
    const auto weld = [&](int32_t foot) {
      EXPECT_EQ(tenon_constraints_add_weld(set.get(), foot, nullptr, 0, &options, nullptr, nullptr, 0),
                TENON_OK);
    };
    weld(left);
    if (feature == "dependent") weld(left);
    if (feature == "two links" || feature == "both") {
      EXPECT_EQ(tenon_constraints_add_closure(set.get(), left, nullptr, 0, right, nullptr, 0, nullptr,
                                              nullptr, nullptr, 0),
                TENON_OK);
    }
    EXPECT_EQ(tenon_constraints_finish(set.get(), nullptr, 0), TENON_OK);
    w = workspace(model, set);
    m = static_cast<std::size_t>(tenon_constraints_row_count(set.get()));
    state = std::make_unique<State>(model, w.get(), 1, m);
    if (!atlas) {
      EXPECT_EQ(tenon_workspace_guess(w.get(), state->q.data(), state->q.size()), TENON_OK);
      std::fill(state->v.begin(), state->v.end(), 0.0);
    }
  }

  // What the method of a line gives; its status.
  tenon_status answer(const Line& line, double tikhonov, std::vector<double>& out) {
    int32_t method = -1;
    if (line.kind.empty()) {
      EXPECT_EQ(tenon_constant_from_name(TENON_CONSTANT_METHOD, line.method.c_str(), &method), TENON_OK)
          << line.method;
      const auto options =
          options_of(tenon_solve_options_init, [&](auto& o) { o.method = method, o.tikhonov = tikhonov; });
      const tenon_status status = state->constrained(w.get(), options);
      out = state->qdd;
      return status;
    }
    out.assign(m * m, 0.0);
    const auto ld = static_cast<int32_t>(m);
    if (line.kind == "Delassus") {
      EXPECT_EQ(tenon_constant_from_name(TENON_CONSTANT_DELASSUS_METHOD, line.method.c_str(), &method),
                TENON_OK)
          << line.method;
      return tenon_delassus(w.get(), delassus_by(method), state->q.data(), state->q.size(), out.data(), m * m,
                            ld);
    }
    EXPECT_EQ(tenon_constant_from_name(TENON_CONSTANT_DAMPED_METHOD, line.method.c_str(), &method), TENON_OK)
        << line.method;
    const tenon_status status =
        tenon_delassus_factor(w.get(), damped_by(method), state->q.data(), state->q.size());
    const tenon_status formed = tenon_delassus_inverse(w.get(), damped_by(method), state->q.data(),
                                                       state->q.size(), out.data(), m * m, ld);
    EXPECT_EQ(status, formed);
    return formed;
  }

  Model model;
  Constraints set;
  Workspace w;
  std::size_t m = 0;
  std::unique_ptr<State> state;
};

TEST(MethodTable, OfTheHeaderIsTrue) {
  const std::vector<Line> table = table_of_the_header();
  std::map<std::string, int> lines;
  for (const Line& line : table) {
    ++lines[line.kind];
    EXPECT_EQ(line.cells.size(), features.size()) << line.kind << " " << line.method;
  }
  EXPECT_EQ(lines[""], tenon_constant_count(TENON_CONSTANT_METHOD));
  EXPECT_EQ(lines["Delassus"], tenon_constant_count(TENON_CONSTANT_DELASSUS_METHOD));
  EXPECT_EQ(lines["damped"], tenon_constant_count(TENON_CONSTANT_DAMPED_METHOD));

  for (std::size_t f = 0; f < features.size(); ++f) {
    Scene scene(features[f]);
    const double tikhonov = features[f] == "tikhonov" ? 1e-7 : 0;
    for (const Line& line : table) {
      SCOPED_TRACE(features[f] + ": " + line.kind + " " + line.method);
      const std::string& cell = line.cells[f];
      if (cell == "-") continue;
      std::vector<double> found, expected;
      const tenon_status status = scene.answer(line, tikhonov, found);
      EXPECT_EQ(status, cell == "no" ? TENON_UNSUPPORTED : TENON_OK)
          << tenon_workspace_message(scene.w.get());
      if (status != TENON_OK || cell != "yes") continue;
      EXPECT_EQ(scene.answer({line.kind, "dense", {}}, 0, expected), TENON_OK);
      EXPECT_LE(largest_difference(found, expected), (tikhonov > 0 ? 1e-3 : 1e-6) * largest(expected));
    }
  }
}

}  // namespace
