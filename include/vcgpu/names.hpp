// The words for the project's enumerations, as data files, flags and outputs
// spell them.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "vcgpu/voice_model.hpp"

namespace vcgpu {

template <class Enum>
using Names = std::vector<std::pair<std::string_view, Enum>>;

const Names<Task>& task_names();
const Names<Precision>& precision_names();
const Names<Basis>& basis_names();
const Names<Attention>& attention_names();
const Names<Method>& method_names();
const Names<Sharding>& sharding_names();
const Names<BatchUnit>& batch_unit_names();
const Names<ConfigUnit>& config_unit_names();
const Names<Family>& family_names();
const Names<Vendor>& vendor_names();
const Names<Form>& form_names();
const Names<Variable>& variable_names();
const Names<PhaseKind>& phase_kind_names();

std::string_view name_of(Task task);
std::string_view name_of(Precision precision);
std::string_view name_of(Basis basis);
std::string_view name_of(Attention attention);
std::string_view name_of(Method method);
std::string_view name_of(Sharding sharding);
std::string_view name_of(BatchUnit unit);
std::string_view name_of(ConfigUnit unit);
std::string_view name_of(Family family);
std::string_view name_of(Vendor vendor);
std::string_view name_of(Form form);
std::string_view name_of(Variable variable);

}  // namespace vcgpu
