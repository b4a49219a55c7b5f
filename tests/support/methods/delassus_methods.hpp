// The methods for the Delassus matrix and for its damped inverse, by name.
#pragma once

#include "tenon/delassus.hpp"

namespace tenon::testing {

struct NamedDelassus {
  DelassusMethod method;
  const char* name;
};
inline constexpr NamedDelassus delassus_methods[] = {
    {DelassusMethod::automatic, "automatic"}, {DelassusMethod::dense, "dense"},
    {DelassusMethod::ltl_osim, "ltl_osim"},   {DelassusMethod::kjr, "kjr"},
    {DelassusMethod::efpa, "efpa"},           {DelassusMethod::pv_osim, "pv_osim"},
    {DelassusMethod::pv_osimr, "pv_osimr"},
};

struct NamedInverse {
  DampedInverseMethod method;
  const char* name;
};
inline constexpr NamedInverse damped_inverse_methods[] = {
    {DampedInverseMethod::automatic, "automatic"},     {DampedInverseMethod::dense, "dense"},
    {DampedInverseMethod::ltl_inverse, "ltl_inverse"}, {DampedInverseMethod::ltl_cholesky, "ltl_cholesky"},
    {DampedInverseMethod::pv_osimr, "pv_osimr"},       {DampedInverseMethod::pv_osimf, "pv_osimf"},
    {DampedInverseMethod::caba_osim, "caba_osim"},     {DampedInverseMethod::caba_osimf, "caba_osimf"},
};

}  // namespace tenon::testing
