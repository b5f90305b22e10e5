// The order of candidates, the Pareto set and the value score.
#pragma once

#include <vector>

#include "vcgpu/recommend.hpp"

namespace vcgpu {

// What candidates are compared by in time: the expected wall time in seconds.
// Serving takes no time of its own; there the faster card is the one that needs
// less for a second of audio. Infinite where neither is known.
double time_of(const Candidate& candidate);

// Best first: `fits` before `tight`, then the sort key, then time, reliability
// and ids. A total order, so that the result depends on no input order.
void sort_candidates(std::vector<Candidate>& candidates, SortKey key);

// Marks what no other candidate that fits beats in both cost and time.
void mark_pareto(std::vector<Candidate>& candidates);

// Sets score and shares: cost, time, free memory and reliability against the
// best of the candidates, by the weights below.
void score_candidates(std::vector<Candidate>& candidates);

inline constexpr double weight_of_cost = 0.5;
inline constexpr double weight_of_time = 0.2;
inline constexpr double weight_of_headroom = 0.1;
inline constexpr double weight_of_reliability = 0.2;

// Keeps the first candidate of each provider or GPU.
void collapse_candidates(std::vector<Candidate>& candidates, Collapse collapse);

}  // namespace vcgpu
