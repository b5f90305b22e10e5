// One function per command: adds it to the program.
#pragma once

#include "cli/common.hpp"

namespace vcgpu::cli {

void add_recommend(CLI::App& app, Action& action);
void add_estimate(CLI::App& app, Action& action);
void add_accuracy(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_fit(CLI::App& app, Action& action);
void add_gpus(CLI::App& app, Action& action);
void add_models(CLI::App& app, Action& action);
void add_providers(CLI::App& app, Action& action);
void add_offers(CLI::App& app, Action& action);

}  // namespace vcgpu::cli
