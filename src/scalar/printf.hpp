// For functions that take a format as printf does: compilers that can check the arguments do.
#pragma once

#if defined(__GNUC__)
#define TENON_PRINTF(format_place, first_argument) \
  __attribute__((format(printf, format_place, first_argument)))
#else
#define TENON_PRINTF(format_place, first_argument)
#endif
