// controllers.cpp, @MARK@.
#include "@PACKAGE@/controllers.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <type_traits>
#include <utility>

#include "@GRAVITY@.h"
#include "@INVERSE_DYNAMICS@.h"
#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "compile without -ffast-math and -ffinite-math-only: states that are NaN must be seen"
#endif

namespace @PACKAGE@
{
namespace
{
const std::array<const char *, joint_count> joint_names{{@NAMES@}};
const JointArray effort_limits{{@LIMITS@}};
const std::array<bool, joint_count> is_continuous{{@CONTINUOUS@}};
constexpr double full_turn = 6.283185307179586;

// Loaned states: get_optional() in newer releases, NaN if nothing could be read; get_value() in Humble.
template <typename Loan, typename = void>
struct HasOptional : std::false_type {};

template <typename Loan>
struct HasOptional<Loan, std::void_t<decltype(std::declval<const Loan &>().get_optional())>> : std::true_type {};

template <typename Loan>
double value_of(const Loan & loan)
{
  if constexpr (HasOptional<Loan>::value) {
    return loan.get_optional().value_or(std::numeric_limits<double>::quiet_NaN());
  } else {
    return loan.get_value();
  }
}

// Loaned commands: set_value() tells in newer releases whether it could write.
template <typename Loan>
bool write(Loan & loan, double value)
{
  if constexpr (std::is_void_v<decltype(loan.set_value(value))>) {
    loan.set_value(value);
    return true;
  } else {
    return loan.set_value(value);
  }
}

template <typename Loans>
bool find(const Loans & loans, const std::string & name, std::size_t & index)
{
  for (index = 0; index < loans.size(); ++index) {
    if (loans[index].get_name() == name) {
      return true;
    }
  }
  return false;
}

bool all_finite(const JointArray & values)
{
  return std::all_of(values.begin(), values.end(), [](double x) {return std::isfinite(x);});
}

std::vector<std::string> interface_names(const std::string & kind)
{
  std::vector<std::string> names;
  for (const char * joint : joint_names) {
    names.push_back(std::string(joint) + "/" + kind);
  }
  return names;
}
}  // namespace

CallbackReturn EffortController::on_init()
{
  try {
    declare_parameters();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "parameters: %s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

void EffortController::declare_parameters()
{
  auto_declare<std::vector<std::string>>("joints", {joint_names.begin(), joint_names.end()});
  auto_declare<std::int64_t>("tolerated_failures", 2);
}

bool EffortController::read_parameters()
{
  const std::vector<std::string> joints = get_node()->get_parameter("joints").as_string_array();
  std::array<bool, joint_count> seen{};
  bool good = joints.size() == joint_count;
  for (std::size_t k = 0; good && k < joint_count; ++k) {
    const auto place = std::find(joint_names.begin(), joint_names.end(), joints[k]);
    good = place != joint_names.end();
    if (good) {
      model_index_[k] = static_cast<std::size_t>(place - joint_names.begin());
      good = !seen[model_index_[k]];
      seen[model_index_[k]] = true;
    }
  }
  if (!good) {
    std::string names;
    for (const char * joint : joint_names) {
      names += std::string(" ") + joint;
    }
    RCLCPP_ERROR(
      get_node()->get_logger(), "joints: must be those of the model, each once, in any order:%s", names.c_str());
    return false;
  }
  tolerated_failures_ = get_node()->get_parameter("tolerated_failures").as_int();
  if (tolerated_failures_ < 0) {
    RCLCPP_ERROR(get_node()->get_logger(), "tolerated_failures: must be zero or more");
    return false;
  }
  return true;
}

CallbackReturn EffortController::on_configure(const rclcpp_lifecycle::State &)
{
  return read_parameters() ? CallbackReturn::SUCCESS : CallbackReturn::FAILURE;
}

controller_interface::InterfaceConfiguration EffortController::command_interface_configuration() const
{
  return {
    controller_interface::interface_configuration_type::INDIVIDUAL,
    interface_names(hardware_interface::HW_IF_EFFORT)};
}

controller_interface::InterfaceConfiguration EffortController::state_interface_configuration() const
{
  std::vector<std::string> names = interface_names(hardware_interface::HW_IF_POSITION);
  if (reads_velocity_) {
    const std::vector<std::string> more = interface_names(hardware_interface::HW_IF_VELOCITY);
    names.insert(names.end(), more.begin(), more.end());
  }
  return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
}

bool EffortController::find_interfaces()
{
  const auto efforts = interface_names(hardware_interface::HW_IF_EFFORT);
  const auto positions = interface_names(hardware_interface::HW_IF_POSITION);
  const auto velocities = interface_names(hardware_interface::HW_IF_VELOCITY);
  for (std::size_t k = 0; k < joint_count; ++k) {
    const char * missing = nullptr;
    if (!find(command_interfaces_, efforts[k], effort_[k])) {
      missing = efforts[k].c_str();
    } else if (!find(state_interfaces_, positions[k], position_[k])) {
      missing = positions[k].c_str();
    } else if (reads_velocity_ && !find(state_interfaces_, velocities[k], velocity_[k])) {
      missing = velocities[k].c_str();
    }
    if (missing) {
      RCLCPP_ERROR(get_node()->get_logger(), "the hardware has no interface %s", missing);
      return false;
    }
  }
  return true;
}

CallbackReturn EffortController::on_activate(const rclcpp_lifecycle::State &)
{
  fault_ = nullptr;
  failures_ = 0;
  if (!find_interfaces()) {
    return CallbackReturn::FAILURE;
  }
  if (!read_state()) {
    RCLCPP_ERROR(get_node()->get_logger(), "a position or velocity of the hardware is missing or not finite");
    return CallbackReturn::FAILURE;
  }
  begin();
  return CallbackReturn::SUCCESS;
}

CallbackReturn EffortController::on_deactivate(const rclcpp_lifecycle::State &)
{
  if (!command_zero()) {
    RCLCPP_ERROR(get_node()->get_logger(), "efforts could not be set to zero");
  }
  if (fault_) {
    RCLCPP_ERROR(get_node()->get_logger(), "efforts were zero since an update failed: %s", fault_);
  }
  return CallbackReturn::SUCCESS;
}

bool EffortController::read_state()
{
  for (std::size_t k = 0; k < joint_count; ++k) {
    q_[k] = value_of(state_interfaces_[position_[k]]);
    if (reads_velocity_) {
      v_[k] = value_of(state_interfaces_[velocity_[k]]);
    }
  }
  return all_finite(q_) && all_finite(v_);
}

bool EffortController::command_zero()
{
  bool written = true;
  for (auto & command : command_interfaces_) {
    written = write(command, 0.0) && written;
  }
  return written;
}

controller_interface::return_type EffortController::update(const rclcpp::Time &, const rclcpp::Duration & period)
{
  if (!fault_) {
    const char * failure = step(period.seconds());
    failures_ = failure ? failures_ + 1 : 0;
    if (failures_ <= tolerated_failures_) {
      return controller_interface::return_type::OK;
    }
    fault_ = failure;
  }
  static_cast<void>(command_zero());
  return controller_interface::return_type::ERROR;
}

/// Nothing, or what failed.
const char * EffortController::step(double period)
{
  if (!read_state()) {
    return "a position or velocity was missing or not finite";
  }
  compute(period);
  if (!all_finite(tau_)) {
    return "an effort was not finite";
  }
  bool written = true;
  for (std::size_t k = 0; k < joint_count; ++k) {
    const double effort = std::clamp(tau_[k], -effort_limits[k], effort_limits[k]);
    written = write(command_interfaces_[effort_[k]], effort) && written;
  }
  return written ? nullptr : "an effort could not be written";
}

void GravityCompensationController::compute(double)
{
  @GRAVITY@(q_.data(), tau_.data());
}

void ComputedTorqueController::declare_parameters()
{
  EffortController::declare_parameters();
  auto_declare<std::vector<double>>("position_gain", std::vector<double>(joint_count, 100.0));
  auto_declare<std::vector<double>>("velocity_gain", std::vector<double>(joint_count, 20.0));
  auto_declare<double>("reference_timeout", 0.1);
}

bool ComputedTorqueController::read_parameters()
{
  const double timeout = get_node()->get_parameter("reference_timeout").as_double();
  if (!(timeout >= 0.0)) {
    RCLCPP_ERROR(get_node()->get_logger(), "reference_timeout: must be a time in seconds, or 0 for none");
    return false;
  }
  reference_timeout_ = timeout > 0.0 ? timeout : std::numeric_limits<double>::infinity();
  return EffortController::read_parameters() && read_gains("position_gain", position_gain_) &&
         read_gains("velocity_gain", velocity_gain_);
}

bool ComputedTorqueController::read_gains(const std::string & name, JointArray & gains)
{
  const std::vector<double> values = get_node()->get_parameter(name).as_double_array();
  const bool good = values.size() == joint_count && std::all_of(values.begin(), values.end(), [](double x) {
        return std::isfinite(x) && x >= 0.0;
      });
  if (!good) {
    RCLCPP_ERROR(
      get_node()->get_logger(), "%s: must be %zu finite numbers, none negative, in the order of `joints`",
      name.c_str(), joint_count);
    return false;
  }
  for (std::size_t k = 0; k < joint_count; ++k) {
    gains[model_index_[k]] = values[k];
  }
  return true;
}

CallbackReturn ComputedTorqueController::on_configure(const rclcpp_lifecycle::State & previous)
{
  if (EffortController::on_configure(previous) != CallbackReturn::SUCCESS) {
    return CallbackReturn::FAILURE;
  }
  subscription_ = get_node()->create_subscription<Message>(
    "~/reference", rclcpp::SystemDefaultsQoS(), [this](const Message & message) {receive(message);});
  return CallbackReturn::SUCCESS;
}

CallbackReturn ComputedTorqueController::on_cleanup(const rclcpp_lifecycle::State &)
{
  subscription_.reset();
  return CallbackReturn::SUCCESS;
}

void ComputedTorqueController::receive(const Message & message)
{
  Reference reference;
  const auto copy = [this](const std::vector<double> & from, JointArray & to, bool optional) {
      if (optional && from.empty()) {
        return true;
      }
      for (std::size_t k = 0; k < joint_count && from.size() == joint_count; ++k) {
        to[model_index_[k]] = from[k];
      }
      return from.size() == joint_count && all_finite(to);
    };
  if (!copy(message.positions, reference.q, false) || !copy(message.velocities, reference.v, true) ||
    !copy(message.accelerations, reference.a, true))
  {
    RCLCPP_WARN(
      get_node()->get_logger(), "a reference was ignored: it needs %zu finite positions, and as many velocities "
      "and accelerations or none", joint_count);
    return;
  }
  reference.activation = activation_.load();
  reference.number = ++messages_;
#if __has_include("realtime_tools/realtime_thread_safe_box.hpp")
  received_.set([&reference](Reference & held) {held = reference;});
#else
  received_.writeFromNonRT(reference);
#endif
}

void ComputedTorqueController::begin()
{
  reference_ = Reference{};
  reference_.q = q_;
  reference_.activation = activation_.fetch_add(1) + 1;
  reference_age_ = 0.0;
}

void ComputedTorqueController::read_reference(double period)
{
  reference_age_ += period;
#if __has_include("realtime_tools/realtime_thread_safe_box.hpp")
  const auto received = received_.try_get();  // nothing while the subscription writes
  const bool some = received.has_value();
#else
  const Reference * received = received_.readFromRT();
  const bool some = true;
#endif
  if (some && received->activation == reference_.activation && received->number != reference_.number) {
    reference_ = *received;
    reference_age_ = 0.0;
  }
  if (reference_age_ > reference_timeout_) {
    reference_.v.fill(0.0);
    reference_.a.fill(0.0);
  }
}

void ComputedTorqueController::compute(double period)
{
  read_reference(period);
  for (std::size_t k = 0; k < joint_count; ++k) {
    const double error = reference_.q[k] - q_[k];
    a_[k] = reference_.a[k] + velocity_gain_[k] * (reference_.v[k] - v_[k]) +
      position_gain_[k] * (is_continuous[k] ? std::remainder(error, full_turn) : error);
  }
  @INVERSE_DYNAMICS@(q_.data(), v_.data(), a_.data(), tau_.data());
}
}  // namespace @PACKAGE@

PLUGINLIB_EXPORT_CLASS(@PACKAGE@::GravityCompensationController, controller_interface::ControllerInterface)
PLUGINLIB_EXPORT_CLASS(@PACKAGE@::ComputedTorqueController, controller_interface::ControllerInterface)
