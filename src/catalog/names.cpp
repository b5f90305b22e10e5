#include "vcgpu/names.hpp"

namespace vcgpu {

namespace {

template <class Enum>
std::string_view find_name(const Names<Enum>& names, Enum wanted) {
  for (const auto& [name, value] : names) {
    if (value == wanted) return name;
  }
  return "?";
}

}  // namespace

const Names<Task>& task_names() {
  static const Names<Task> names{{"train", Task::train},
                                 {"finetune", Task::finetune},
                                 {"realtime", Task::realtime},
                                 {"batch", Task::batch}};
  return names;
}
const Names<Precision>& precision_names() {
  static const Names<Precision> names{{"fp32", Precision::fp32}, {"tf32", Precision::tf32},
                                      {"fp16", Precision::fp16}, {"bf16", Precision::bf16},
                                      {"int8", Precision::int8}, {"int4", Precision::int4}};
  return names;
}
const Names<Basis>& basis_names() {
  static const Names<Basis> names{
      {"measured", Basis::measured}, {"reported", Basis::reported}, {"analytic", Basis::analytic}};
  return names;
}
const Names<Attention>& attention_names() {
  static const Names<Attention> names{{"eager", Attention::eager}, {"sdpa", Attention::sdpa}};
  return names;
}
const Names<Method>& method_names() {
  static const Names<Method> names{{"full", Method::full}, {"lora", Method::lora}};
  return names;
}
const Names<Sharding>& sharding_names() {
  static const Names<Sharding> names{
      {"none", Sharding::none}, {"zero2", Sharding::zero2}, {"zero3", Sharding::zero3}};
  return names;
}
const Names<BatchUnit>& batch_unit_names() {
  static const Names<BatchUnit> names{
      {"clips", BatchUnit::clips}, {"frames", BatchUnit::frames}, {"seconds", BatchUnit::seconds}};
  return names;
}
const Names<ConfigUnit>& config_unit_names() {
  static const Names<ConfigUnit> names{{"plain", ConfigUnit::plain},
                                       {"seconds", ConfigUnit::seconds},
                                       {"samples", ConfigUnit::samples},
                                       {"frames", ConfigUnit::frames},
                                       {"effective_batch", ConfigUnit::effective_batch}};
  return names;
}
const Names<Family>& family_names() {
  static const Names<Family> names{{"conv-gan", Family::conv_gan},
                                   {"transformer", Family::transformer},
                                   {"flow", Family::flow},
                                   {"diffusion", Family::diffusion}};
  return names;
}
const Names<Vendor>& vendor_names() {
  static const Names<Vendor> names{{"nvidia", Vendor::nvidia}, {"amd", Vendor::amd}};
  return names;
}
const Names<Form>& form_names() {
  static const Names<Form> names{{"consumer", Form::consumer},
                                 {"workstation", Form::workstation},
                                 {"datacenter", Form::datacenter},
                                 {"edge", Form::edge}};
  return names;
}
const Names<Variable>& variable_names() {
  static const Names<Variable> names{{"batch", Variable::batch},
                                     {"streams", Variable::streams},
                                     {"clip_frames", Variable::clip_frames},
                                     {"segment_frames", Variable::segment_frames},
                                     {"mel_frames", Variable::mel_frames},
                                     {"mel_frames_16", Variable::mel_frames_16},
                                     {"text_tokens", Variable::text_tokens},
                                     {"audio_tokens", Variable::audio_tokens},
                                     {"sequence", Variable::sequence},
                                     {"sequence_16", Variable::sequence_16},
                                     {"frames", Variable::frames},
                                     {"output_seconds", Variable::output_seconds},
                                     {"reference_seconds", Variable::reference_seconds},
                                     {"context_tokens", Variable::context_tokens}};
  return names;
}
const Names<PhaseKind>& phase_kind_names() {
  static const Names<PhaseKind> names{{"forward", PhaseKind::forward},
                                      {"backward", PhaseKind::backward},
                                      {"step", PhaseKind::step},
                                      {"run", PhaseKind::run}};
  return names;
}

std::string_view name_of(Task task) { return find_name(task_names(), task); }
std::string_view name_of(Precision precision) { return find_name(precision_names(), precision); }
std::string_view name_of(Basis basis) { return find_name(basis_names(), basis); }
std::string_view name_of(Attention attention) { return find_name(attention_names(), attention); }
std::string_view name_of(Method method) { return find_name(method_names(), method); }
std::string_view name_of(Sharding sharding) { return find_name(sharding_names(), sharding); }
std::string_view name_of(BatchUnit unit) { return find_name(batch_unit_names(), unit); }
std::string_view name_of(ConfigUnit unit) { return find_name(config_unit_names(), unit); }
std::string_view name_of(Family family) { return find_name(family_names(), family); }
std::string_view name_of(Vendor vendor) { return find_name(vendor_names(), vendor); }
std::string_view name_of(Form form) { return find_name(form_names(), form); }
std::string_view name_of(Variable variable) { return find_name(variable_names(), variable); }

}  // namespace vcgpu
