#include "tenonx/c_names.hpp"

#include <cctype>
#include <string_view>

#include "tenon/status.hpp"

namespace tenon::trace {
namespace {

// Of C up to C23 and of C++ up to C++20; main, which is no function of this shape; macros of compilers and headers.
constexpr std::string_view words =
    " linux unix i386 alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
    "char16_t char32_t class co_await co_return co_yield compl concept const const_cast consteval "
    "constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit "
    "export extern false float for friend goto if inline int long main mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using "
    "virtual void volatile wchar_t while xor xor_eq NULL errno ";

// Of <math.h> up to C23 and POSIX, with the extensions of GNU; most have forms for other types (sinf, sinl, sinf64).
constexpr std::string_view mathematics =
    " acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi canonicalize cbrt ceil compoundn "
    "copysign cos cosh cospi dadd ddiv dfma dmul drem dsqrt dsub erf erfc exp exp10 exp10m1 exp2 exp2m1 "
    "expm1 fabs fadd fdim fdiv ffma finite floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num "
    "fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul "
    "fpclassify frexp fromfp fromfpx fsqrt fsub gamma getpayload hypot ilogb iscanonical iseqsig isfinite "
    "isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal issignaling "
    "issubnormal isunordered iszero j0 j1 jn ldexp lgamma llogb llrint llround log log10 log10p1 log1p "
    "log2 log2p1 logb logp1 lrint lround math_errhandling modf nan nearbyint nextafter nextdown "
    "nexttoward nextup pow pown powr remainder remquo rint rootn round roundeven rsqrt scalb scalbln "
    "scalbn setpayload setpayloadsig signbit signgam significand sin sincos sinh sinpi sqrt tan tanh "
    "tanpi tgamma totalorder totalordermag trunc ufromfp ufromfpx y0 y1 yn float_t double_t HUGE_VAL "
    "INFINITY NAN SNAN MAXFLOAT MATH_ERRNO MATH_ERREXCEPT M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 "
    "M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL "
    "FP_ILOGB0 FP_ILOGBNAN FP_LLOGB0 FP_LLOGBNAN FP_FAST_FMA FP_INT_UPWARD FP_INT_DOWNWARD "
    "FP_INT_TOWARDZERO FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO ";

constexpr std::string_view strings =
    " basename bcmp bcopy bzero explicit_bzero ffs ffsl ffsll index memalignment memccpy memchr memcmp "
    "memcpy memfrob memmem memmove mempcpy memrchr memset memset_explicit rawmemchr rindex sigabbrev_np "
    "sigdescr_np stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat strchr strchrnul strcmp strcoll "
    "strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strerrordesc_np strerrorname_np "
    "strfry strlcat strlcpy strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen "
    "strpbrk strrchr strsep strsignal strspn strstr strtok strtok_r strverscmp strxfrm strxfrm_l ";

bool is_in(std::string_view list, std::string_view name) {
  return list.find(" " + std::string(name) + " ") != list.npos;
}

// f32addf64: sums in one type rounded to another.
bool narrows(std::string_view name) {
  for (const char* result : {"f32x", "f32", "f64x", "f64"})
    for (const char* operation : {"addf", "subf", "mulf", "divf", "fmaf", "sqrtf"})
      for (const char* operand : {"32x", "64", "64x", "128"})
        if (name == std::string(result) + operation + operand) return true;
  return false;
}

bool of_mathematics(std::string_view name) {
  if (name.size() > 2 && name.substr(name.size() - 2) == "_r") name.remove_suffix(2);
  if (is_in(mathematics, name) || narrows(name)) return true;
  for (const std::string_view type :
       {"f",   "l",    "F",    "L",     "f16",   "f32",   "f64", "f128", "f32x", "f64x", "d32",
        "d64", "_F32", "_F64", "_F128", "_F32X", "_F64X", "F32", "F64",  "F128", "F32X", "F64X"})
    if (name.size() > type.size() && name.substr(name.size() - type.size()) == type &&
        is_in(mathematics, name.substr(0, name.size() - type.size())))
      return true;
  return false;
}

}  // namespace

std::string identifier(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 0x80;
    name += fits ? c : '_';
  }
  if (name.empty() || name[0] == '_' || std::isdigit(static_cast<unsigned char>(name[0])))
    name = "robot_" + name;
  return name;
}

void check_function_name(const std::string& name) {
  const auto refuse = [&](const char* reason) {
    throw Error(Status::invalid_argument, "'" + name + "' is no name for a C function: " + reason);
  };
  if (!name.empty() && name[0] == '_')
    refuse("names that begin with _ belong to the compiler; begin with a letter");
  if (identifier(name) != name) refuse("use letters, digits and _, and begin with a letter");
  if (is_in(words, name)) refuse("it is a word of C or C++; take another one");
  if (of_mathematics(name)) refuse("<math.h> has that name; take another one");
  if (is_in(strings, name)) refuse("<string.h> has that name; take another one");
}

}  // namespace tenon::trace
