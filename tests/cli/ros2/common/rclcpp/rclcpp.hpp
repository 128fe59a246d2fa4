// Time, parameters, logging and a subscription that a test calls by itself.
#pragma once
#include <any>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
namespace rclcpp
{
class Time {};
struct Duration
{
  double seconds() const {return 1e-3;}
};
class Logger {};
class SystemDefaultsQoS {};
struct Parameter
{
  std::any value;
  std::vector<std::string> as_string_array() const {return std::any_cast<std::vector<std::string>>(value);}
  std::vector<double> as_double_array() const {return std::any_cast<std::vector<double>>(value);}
  std::int64_t as_int() const {return std::any_cast<std::int64_t>(value);}
  double as_double() const {return std::any_cast<double>(value);}
};
template <class Message>
struct Subscription
{
  using SharedPtr = std::shared_ptr<Subscription>;
  std::function<void(const Message &)> callback;
};
struct Node
{
  std::map<std::string, Parameter> parameters;
  std::shared_ptr<void> last_subscription;
  Parameter get_parameter(const std::string & name) const {return parameters.at(name);}
  Logger get_logger() const {return {};}
  template <class Message, class Callback>
  typename Subscription<Message>::SharedPtr create_subscription(
    const std::string &, const SystemDefaultsQoS &, Callback && callback)
  {
    auto made = std::make_shared<Subscription<Message>>();
    made->callback = callback;
    last_subscription = made;
    return made;
  }
};
}
#define RCLCPP_ERROR(logger, ...) (static_cast<void>(logger), std::fprintf(stderr, __VA_ARGS__), std::fputc('\n', stderr))
#define RCLCPP_WARN(logger, ...) RCLCPP_ERROR(logger, __VA_ARGS__)
