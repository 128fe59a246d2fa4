// Drives one controller: reads lines from stdin, prints the efforts after each update and how often it allocated.
//   set NAME x x ...      a parameter of numbers     joints NAME ...   the parameter `joints`
//   start q... v...       configure and activate     stop              deactivate
//   point n n n x...      a reference: how many positions, velocities, accelerations, then the numbers
//   run q... v...         one update, 1 ms later     writable 0|1      whether efforts can be written
//   set_number NAME x     a parameter of one number
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <sstream>

#include CONTROLLERS

static long allocations = 0;
extern "C" void * __libc_malloc(std::size_t);
extern "C" void * malloc(std::size_t size) {++allocations; return __libc_malloc(size);}

using trajectory_msgs::msg::JointTrajectoryPoint;

static void print(const std::vector<double> & values, int code, long count)
{
  std::printf("%d %ld", code, count);
  for (double x : values) {
    std::printf(" %.17g", x);
  }
  std::printf("\n");
}

int main(int, char ** arguments)
{
  static_assert(CONTROLLER_NAMESPACE::joint_count > 0);
  CONTROLLER_NAMESPACE::GravityCompensationController gravity;
  CONTROLLER_NAMESPACE::ComputedTorqueController torque;
  controller_interface::ControllerInterface * both[] = {&gravity, &torque};
  controller_interface::ControllerInterface & base = *both[std::string(arguments[1]) == "ComputedTorqueController"];
  const rclcpp_lifecycle::State state;
  const std::size_t n = CONTROLLER_NAMESPACE::joint_count;
  std::vector<double> states(2 * n), commands(n, 77.0);
  std::string line, word;
  auto & parameters = base.get_node()->parameters;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "set" || verb == "joints") {
      std::string name = "joints";
      if (verb == "set") {words >> name;}
      std::vector<std::string> texts;
      std::vector<double> numbers;
      while (words >> word) {
        texts.push_back(word);
        if (verb == "set") {numbers.push_back(std::strtod(word.c_str(), nullptr));}
      }
      if (verb == "set") {parameters[name].value = numbers;} else {parameters[name].value = texts;}
    } else if (verb == "start" || verb == "run") {
      for (double & x : states) {
        words >> word;
        x = std::strtod(word.c_str(), nullptr);
      }
      if (verb == "start") {
        int code = static_cast<int>(base.on_init());
        code += static_cast<int>(base.on_configure(state));
        const auto names = base.state_interface_configuration().names, efforts = base.command_interface_configuration().names;
        base.state_interfaces_.clear();
        base.command_interfaces_.clear();
        for (std::size_t k = names.size(); k-- > 0;) {  // backwards: a controller must look at names
          base.state_interfaces_.push_back({names[k], &states[k]});
        }
        for (std::size_t k = n; k-- > 0;) {
          base.command_interfaces_.push_back({{efforts[k], &commands[k]}});
        }
        if (code == 0) {code += static_cast<int>(base.on_activate(state));}
        print(commands, code, 0);
      } else {
        const long before = allocations;
        const auto done = base.update(rclcpp::Time(), rclcpp::Duration());
        const long count = allocations - before;
        print(commands, static_cast<int>(done), count);
      }
    } else if (verb == "writable") {
      words >> hardware_interface::writable;
    } else if (verb == "set_number") {
      words >> word;
      double number;
      words >> number;
      if (word == "tolerated_failures") {
        parameters[word].value = static_cast<std::int64_t>(number);
      } else {
        parameters[word].value = number;
      }
    } else if (verb == "stop") {
      print(commands, static_cast<int>(base.on_deactivate(state)), 0);
    } else if (verb == "point") {
      auto point = std::make_shared<JointTrajectoryPoint>();
      std::size_t sizes[3];
      words >> sizes[0] >> sizes[1] >> sizes[2];
      std::vector<double> * parts[3] = {&point->positions, &point->velocities, &point->accelerations};
      for (int k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < sizes[k]; ++i) {
          words >> word;
          parts[k]->push_back(std::strtod(word.c_str(), nullptr));
        }
      }
      std::static_pointer_cast<rclcpp::Subscription<JointTrajectoryPoint>>(base.get_node()->last_subscription)->callback(*point);
    }
  }
  return allocations > 0 ? 0 : 1;  // the count works: reading lines allocates
}
