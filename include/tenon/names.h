/* clang-format off */
/* tenon/names.h, a part of tenon.h, which is the manual. Version of the library, and names of constants. */
#ifndef TENON_NAMES_H
#define TENON_NAMES_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version and names of constants --------------------------------------------------------------------------- */

/* Constants of one kind have one prefix, TENON_<KIND>_, and are numbered from 0 without gaps, but for the statuses. By
 * the number of their kind, tenon_constant_name and its like tell their names. */
#define TENON_CONSTANT_STATUS 0
#define TENON_CONSTANT_METHOD 1
#define TENON_CONSTANT_DELASSUS_METHOD 2
#define TENON_CONSTANT_DAMPED_METHOD 3
#define TENON_CONSTANT_SPLIT 4
#define TENON_CONSTANT_JOINT_TYPE 5
#define TENON_CONSTANT_BASE 6
#define TENON_CONSTANT_AXES 7
#define TENON_CONSTANT_COORDINATES 8
#define TENON_CONSTANT_LOOP_TREATMENT 9
#define TENON_CONSTANT_LOOP_MOVES 10
#define TENON_CONSTANT_LOOP_KIND 11
#define TENON_CONSTANT_CONVENTION 12
#define TENON_CONSTANT_DIRECTION 13
#define TENON_CONSTANT_LOG_LEVEL 14
#define TENON_CONSTANT_INSTRUCTION_SET 15
#define TENON_CONSTANT_PRECISION 16
#define TENON_CONSTANT_INTEGRATOR 17

/* Version of the library, major * 10000 + minor * 100 + patch. Compare with TENON_VERSION, the header's: the same major
 * number means binary compatible (before 1.0.0: the same minor number). Cost: O(1). */
TENON_API int32_t tenon_version(void);

/* The version as text, "0.1.0". Static. Cost: O(1). */
TENON_API const char *tenon_version_string(void);

/* One line about this build for bug reports: version, compiler, build type, and the instruction sets whose kernels run
 * on this machine unless another is asked for: those of one state, of first derivatives in one state, and of batches
 * and of limbs side by side. Static. Cost: O(1). */
TENON_API const char *tenon_build_info(void);

/* Names of constants, for messages, command lines and configuration files; kind: TENON_CONSTANT_*.
 *   tenon_constant_count      how many there are of the kind: but for statuses, their values are 0 to that less 1;
 *   tenon_constant_name       the name of a value: the constant in lower case without its prefix, "constrained_aba" for
 *                             TENON_METHOD_CONSTRAINED_ABA, "not_finite" for TENON_NOT_FINITE; static;
 *   tenon_constant_from_name  *value: that of the name; untouched where there is none.
 * A number that is no kind has no constants: 0, "unknown", TENON_INVALID_ARGUMENT. A value that the kind lacks is
 * "unknown". That a method has a name does not mean this version has it: a call returns TENON_UNSUPPORTED for one that
 * it lacks. Status (of _from_name): TENON_OK, TENON_INVALID_ARGUMENT (NULL, no kind), TENON_NOT_FOUND. Cost: O(1). */
TENON_API int32_t tenon_constant_count(int32_t kind);
TENON_API const char *tenon_constant_name(int32_t kind, int32_t value);
TENON_API tenon_status tenon_constant_from_name(int32_t kind, const char *name, int32_t *value);

/* The same name of a status, which every program prints; and the value of number `index` of the statuses, which have
 * gaps, TENON_OUT_OF_RANGE for other numbers. Cost: O(1). */
TENON_API const char *tenon_status_string(tenon_status value);
TENON_API tenon_status tenon_status_at(int32_t index);

#ifdef __cplusplus
}
#endif

#endif /* TENON_NAMES_H */
