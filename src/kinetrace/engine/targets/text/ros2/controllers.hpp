// controllers.hpp, @MARK@.
#ifndef @GUARD@
#define @GUARD@

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "controller_interface/controller_interface.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/state.hpp"
#include "trajectory_msgs/msg/joint_trajectory_point.hpp"
#if __has_include("realtime_tools/realtime_thread_safe_box.hpp")
#include "realtime_tools/realtime_thread_safe_box.hpp"
#elif __has_include("realtime_tools/realtime_buffer.hpp")
#include "realtime_tools/realtime_buffer.hpp"
#else
#include "realtime_tools/realtime_buffer.h"
#endif

namespace @PACKAGE@
{
constexpr std::size_t joint_count = @COUNT@;
using JointArray = std::array<double, joint_count>;
using controller_interface::CallbackReturn;

/// A controller of efforts: reads the states, has the efforts computed, bounds and writes them.
/**
 * Updates that fail (a state that is missing or not finite, an effort that is not finite or cannot be written) leave the
 * last efforts; after more than `tolerated_failures` in a row efforts are zero until the controller is activated again.
 */
class EffortController : public controller_interface::ControllerInterface
{
public:
  CallbackReturn on_init() override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State & previous) override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  controller_interface::return_type update(const rclcpp::Time & time, const rclcpp::Duration & period) override;

protected:
  explicit EffortController(bool reads_velocity) : reads_velocity_(reads_velocity) {}

  virtual void declare_parameters();
  virtual bool read_parameters();
  virtual void begin() {}
  /// tau_ from q_ and v_, a period [s] after the last time; must not allocate.
  virtual void compute(double period) = 0;

  JointArray q_{}, v_{}, tau_{};  // in the order of the model
  std::array<std::size_t, joint_count> model_index_{};  // of the joints as the parameter lists them

private:
  bool find_interfaces();
  bool read_state();
  const char * step(double period);
  bool command_zero();

  const bool reads_velocity_;
  const char * fault_ = nullptr;  // why efforts are zero
  std::int64_t tolerated_failures_ = 0, failures_ = 0;
  std::array<std::size_t, joint_count> position_{}, velocity_{}, effort_{};
};

/// tau = g(q).
class GravityCompensationController : public EffortController
{
public:
  GravityCompensationController() : EffortController(false) {}

protected:
  void compute(double period) override;
};

/// tau = ID(q, v, a_d + Kd (v_d - v) + Kp (q_d - q)).
class ComputedTorqueController : public EffortController
{
public:
  ComputedTorqueController() : EffortController(true) {}

  CallbackReturn on_configure(const rclcpp_lifecycle::State & previous) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State & previous) override;

protected:
  void declare_parameters() override;
  bool read_parameters() override;
  void begin() override;
  void compute(double period) override;

private:
  using Message = trajectory_msgs::msg::JointTrajectoryPoint;

  struct Reference
  {
    JointArray q{}, v{}, a{};
    unsigned activation = 0;  // during which it arrived; 0 is none
    unsigned number = 0;  // of the message; 0 is none
  };

  void receive(const Message & message);
  bool read_gains(const std::string & name, JointArray & gains);
  void read_reference(double period);

  JointArray position_gain_{}, velocity_gain_{}, a_{};
  Reference reference_{};
  double reference_timeout_ = std::numeric_limits<double>::infinity(), reference_age_ = 0.0;
  unsigned messages_ = 0;
  std::atomic<unsigned> activation_{0};
#if __has_include("realtime_tools/realtime_thread_safe_box.hpp")
  realtime_tools::RealtimeThreadSafeBox<Reference> received_;
#else
  realtime_tools::RealtimeBuffer<Reference> received_;
#endif
  rclcpp::Subscription<Message>::SharedPtr subscription_;
};
}  // namespace @PACKAGE@

#endif  // @GUARD@
