// The card that a name stands for: of the catalog, a MIG slice of one, or one
// known by its marketed size alone.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/filter.hpp"
#include "vcgpu/catalog.hpp"

namespace vcgpu {

struct Card {
  const Gpu* gpu = nullptr;
  bool rates_known = true;  // false: no time can be estimated
};

// "4090", "a100-80gb/3g.40gb" or "12GB". Cards that the catalog does not hold
// are put into `made_up`. Throws Error (usage) with the nearest names.
Card card_named(std::string_view name, const Catalog& catalog, std::deque<Gpu>& made_up);

// The cards of `names`, "all" being every one that `filter` accepts. One that is
// named but not accepted carries what it misses.
struct AskedCard {
  const Gpu* gpu = nullptr;
  bool rates_known = true;
  std::optional<FilterMiss> miss;
};
std::vector<AskedCard> asked_cards(const std::vector<std::string>& names, const OfferFilter& filter,
                                   int gpu_count, const Catalog& catalog, std::deque<Gpu>& made_up);

// A card known by its marketed size alone: the least that such cards give, and
// no rates, so no time. Taken for Ampere or newer.
Gpu card_of_size(const Catalog& catalog, double memory_gb);

// No card at all: room for anything. The batch rules of training codes go by
// the card's memory; 24 GB is what most people train on.
Gpu no_card();

// "12GB" is a size, "4090" is a name.
bool is_card_size(std::string_view text);

}  // namespace vcgpu
