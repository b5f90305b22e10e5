// `list` for people: one line an entry, then what the columns mean.
#pragma once

#include <string>

#include "report/listing.hpp"
#include "report/style.hpp"

namespace vcgpu {

struct ListingTable {
  const Listing* listing = nullptr;
  const CatalogInfo* catalog = nullptr;
  int old_after_days = 0;  // prices older than this are marked
  enum class Width { terminal, wide } width = Width::terminal;
};

std::string gpus_table(const ListingTable& table, const Style& style);
std::string models_table(const ListingTable& table, const Style& style);
std::string providers_table(const ListingTable& table, const Style& style);
std::string offers_table(const ListingTable& table, const Style& style);

// The fields of csv, markdown and names.
RecordShape gpus_shape();
RecordShape models_shape();
RecordShape providers_shape();
RecordShape offers_shape();

}  // namespace vcgpu
