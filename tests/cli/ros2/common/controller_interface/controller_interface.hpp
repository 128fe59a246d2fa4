// What a controller inherits: its node, its loaned interfaces, and the functions that it overrides.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "hardware_interface/loans.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/state.hpp"
namespace controller_interface
{
enum class return_type : std::uint8_t {OK, ERROR};
enum class CallbackReturn : std::uint8_t {SUCCESS, FAILURE, ERROR};
enum class interface_configuration_type : std::uint8_t {ALL, INDIVIDUAL, NONE};
struct InterfaceConfiguration
{
  interface_configuration_type type;
  std::vector<std::string> names = {};
};
class ControllerInterface
{
public:
  virtual ~ControllerInterface() = default;
  virtual CallbackReturn on_init() = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State &) {return CallbackReturn::SUCCESS;}
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &) {return CallbackReturn::SUCCESS;}
  virtual CallbackReturn on_cleanup(const rclcpp_lifecycle::State &) {return CallbackReturn::SUCCESS;}
  virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) {return CallbackReturn::SUCCESS;}
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual return_type update(const rclcpp::Time & time, const rclcpp::Duration & period) = 0;
  std::shared_ptr<rclcpp::Node> get_node() {return node_;}

  std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;  // protected in ROS
  std::vector<hardware_interface::LoanedStateInterface> state_interfaces_;

protected:
  template <class T>
  void auto_declare(const std::string & name, const T & value)
  {
    node_->parameters.try_emplace(name, rclcpp::Parameter{value});
  }

private:
  std::shared_ptr<rclcpp::Node> node_ = std::make_shared<rclcpp::Node>();
};
}
