// Allocations that fail when a test wants it.
#pragma once

namespace tenon::testing::history {

// Of the allocations that follow, on any thread, number `which` fails, from 0; none where it is negative.
void let_allocation_fail(int which);

}  // namespace tenon::testing::history
