#include "tenonx/c_lanes.hpp"

namespace tenon::trace {

namespace {

// @ stands for the name, # for the number of lanes. The angle less the nearest multiple of pi / 2 in three
// parts, and polynomials: kernels/joint/sincos.hpp has the sources.
constexpr const char* text = R"(
typedef double @_lanes __attribute__((vector_size(8 * #)));
typedef long long @_bits __attribute__((vector_size(8 * #)));
static inline @_lanes @_load(const double *x) { @_lanes y; memcpy(&y, x, sizeof y); return y; }
static inline void @_store(double *x, @_lanes y) { memcpy(x, &y, sizeof y); }
static inline @_lanes @_all(double x) { const @_lanes zero = {0}; return zero + x; }
/* Sine of x and quarter right angles; for |x| below a million. */
static inline @_lanes @_sine(@_lanes x, int quarter) {
  const @_lanes up = x * 0.63661977236758134308 + 6755399441055744.0, k = up - 6755399441055744.0;
  const @_lanes r = ((x - k * 1.57079632673412561417e+00) - k * 6.07710050630396597660e-11) -
                    k * 2.02226624879595063154e-21, z = r * r;
  const @_lanes s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 +
                    z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const @_lanes c = 1.0 - (0.5 * z - z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 +
                    z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 +
                    z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  const @_bits quadrant = (@_bits)up + quarter, odd = -(quadrant & 1);
  return (@_lanes)(((odd & (@_bits)c) | (~odd & (@_bits)s)) ^ ((quadrant & 2) << 62));
}
/* y, but of larger x the value of f. */
static inline @_lanes @_far(@_lanes x, @_lanes y, double (*f)(double)) {
  const @_bits far = (@_bits)(x > 1e6) | (@_bits)(x < -1e6);
  long long some = 0;
  for (int i = 0; i < #; ++i) some |= far[i];
  if (some) for (int i = 0; i < #; ++i) if (far[i]) y[i] = f(x[i]);
  return y;
}
static inline @_lanes @_sin(@_lanes x) { return @_far(x, @_sine(x, 0), sin); }
static inline @_lanes @_cos(@_lanes x) { return @_far(x, @_sine(x, 1), cos); }
static inline @_lanes @_sqrt(@_lanes x) { for (int i = 0; i < #; ++i) x[i] = sqrt(x[i]); return x; }
static inline @_lanes @_atan2(@_lanes y, @_lanes x) { for (int i = 0; i < #; ++i) y[i] = atan2(y[i], x[i]); return y; }

)";

}  // namespace

std::string lane_helpers(const std::string& name, int lanes) {
  std::string out;
  for (const char* c = text; *c != '\0'; ++c) {
    if (*c == '@')
      out += name;
    else if (*c == '#')
      out += std::to_string(lanes);
    else
      out += *c;
  }
  return out;
}

}  // namespace tenon::trace
