// `show` for people: what the catalog knows of one entry, with units, sources,
// dates and what is not known.
#pragma once

#include <string>

#include "base/date.hpp"
#include "report/price_summary.hpp"
#include "report/style.hpp"
#include "report/text_table.hpp"

namespace vcgpu {

// Labelled lines in sections. Everything is outside text and passes through
// printable(); what is empty leaves no trace, nor does a section without
// content.
class Card {
 public:
  Card(const Style& style, std::string_view name, std::string_view id);

  Card& section(std::string_view title);
  Card& field(std::string_view label, std::string_view text);
  // Several texts under one label.
  Card& list(std::string_view label, const std::vector<std::string>& texts);
  Card& item(std::string_view text);
  Card& table(const std::vector<TextColumn>& columns, TextRows rows);
  [[nodiscard]] std::string take() { return std::move(m_text); }

 private:
  void open_section();

  const Style& m_style;
  std::string m_text;
  std::string m_section;
};

struct CardContext {
  const Catalog* catalog = nullptr;
  const Style* style = nullptr;
  Day today{};
  enum class Detail { usual, every_term } detail = Detail::usual;  // of a model's memory
};

struct GpuCard {
  const Gpu* gpu = nullptr;
  PriceSummary prices;
  const MarketReference* market = nullptr;  // may be null
};

std::string gpu_card(const GpuCard& content, const CardContext& context);
std::string provider_card(const Provider& provider, const CardContext& context);
std::string offer_card(const Provider& provider, const Offer& offer, const CardContext& context);
// `note` says what an ambiguous name was taken for; may be empty.
std::string voice_model_card(const VoiceModel& model, const std::string& note,
                             const CardContext& context);

// "2026-08-22, 100 days old".
std::string dated_text(const std::string& as_of, const CardContext& context);

}  // namespace vcgpu
