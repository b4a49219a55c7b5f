// How the studies time: all calls in turn, of each the fastest pass. A pass that something disturbed is not the
// fastest, so wall time will do; the processor time of a thread jumps on some virtual machines, and a minimum then
// keeps the wrong ones.
#pragma once

#include <functional>
#include <vector>

namespace bench {

double thread_seconds();

// Passes over all calls until there were `passes` and they took `seconds` together; of each call the fastest
// pass, in seconds. Calls take turns, so that what else the machine does meets all of them.
std::vector<double> fastest_passes(const std::vector<std::function<void()>>& calls, int passes,
                                   double seconds = 0);

// Slope of log y over log x by least squares.
double exponent(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace bench
