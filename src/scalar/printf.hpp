// Marks functions with a format like that of printf, so that compilers can check the arguments.
#pragma once

#if defined(__GNUC__)
#define TENON_PRINTF(format_place, first_argument) \
  __attribute__((format(printf, format_place, first_argument)))
#else
#define TENON_PRINTF(format_place, first_argument)
#endif
