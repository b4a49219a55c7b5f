/* clang-format off */
/* tenon/base.h, a part of tenon.h, which is the manual. Statuses, and what all other parts share. */
#ifndef TENON_BASE_H
#define TENON_BASE_H

#include <stddef.h>
#include <stdint.h>

/* TENON_STATIC: for programs that link a static Tenon, and for readers of this header that know no attributes.
 * TENON_BUILDING: for Tenon itself. Neither is needed for the shared library. */
#if defined(TENON_STATIC)
#define TENON_API
#elif defined(_WIN32) || defined(__CYGWIN__)
#if defined(TENON_BUILDING)
#define TENON_API __declspec(dllexport)
#else
#define TENON_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TENON_API __attribute__((visibility("default")))
#else
#define TENON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_VERSION_MAJOR 0
#define TENON_VERSION_MINOR 1
#define TENON_VERSION_PATCH 0
/* major * 10000 + minor * 100 + patch of the header; tenon_version() is that of the library. */
#define TENON_VERSION 100

/* What calls return. 0 or positive: outputs were written. Negative: nothing was, and a message says why. */
typedef int32_t tenon_status;
#define TENON_OK 0
/* Outputs are written, with a caveat. */
#define TENON_MAX_ITERATIONS 1 /* the iteration limit came before the tolerance */
#define TENON_INFEASIBLE 2     /* rows contradict each other: the least-squares answer was written */
#define TENON_RANK_DEFICIENT 3 /* rows depend on each other: pseudo-inverses were written */
/* Nothing was written. */
#define TENON_INVALID_ARGUMENT -1       /* NULL where a value is needed, an unknown constant, wrong order */
#define TENON_WRONG_SIZE -2             /* a count or leading dimension does not fit */
#define TENON_NOT_FINITE -3             /* NaN or infinity in an input, from a callback, or because inputs
                                                      are too large: the message tells which */
#define TENON_OUT_OF_RANGE -4           /* an index that names nothing */
#define TENON_NOT_NORMALIZED -5         /* a quaternion off unit norm by more than 1e-6 */
#define TENON_PARSE_ERROR -10           /* no XML, or no number where a number belongs */
#define TENON_FILE_ERROR -11            /* a file that cannot be read */
#define TENON_INVALID_MODEL -12         /* no tree of joints: two roots, a cycle, a missing parent */
#define TENON_INVALID_INERTIA -13       /* mass or inertia that no moving body can have */
#define TENON_NOT_FOUND -14             /* a name that names nothing */
#define TENON_NOT_POSITIVE_DEFINITE -20 /* the mass matrix cannot be factored */
#define TENON_SINGULAR_CONFIGURATION -21 /* a kinematic loop at or next to a dead centre */
#define TENON_OPEN_LOOP -22             /* independent positions for which no closed loops were found */
#define TENON_UNSUPPORTED -30           /* a feature that this version does not have */
#define TENON_OUT_OF_MEMORY -40
#define TENON_INTERNAL_ERROR -50 /* a fault in Tenon: please report it with the message */

/* Axes along which a spatial vector or the rows of a constraint are given. */
#define TENON_AXES_LINK 0
#define TENON_AXES_WORLD 1

/* Instead of an index: there is none; the world, on which a robot stands and a closure may hold. */
#define TENON_NONE -1
#define TENON_WORLD -2

typedef struct tenon_model tenon_model;
typedef struct tenon_constraints tenon_constraints;
typedef struct tenon_workspace tenon_workspace;
typedef struct tenon_builder tenon_builder;

#ifdef __cplusplus
}
#endif

#endif /* TENON_BASE_H */
