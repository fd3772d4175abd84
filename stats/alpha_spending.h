// How much of the error alpha each look at a growing comparison may spend.
#pragma once

namespace hone::stats {

// The share of alpha that is spent when a share of the pairs is there; 0 ≤ pairs_share, beyond 1 as 1. Pocock's function of Lan and DeMets: Discrete sequential
// boundaries for clinical trials, Biometrika 70 (1983): log(1 + (e − 1) t). It is proportional to alpha, so that a sequence of looks has a p-value.
double spent_share(double pairs_share);

}  // namespace hone::stats
