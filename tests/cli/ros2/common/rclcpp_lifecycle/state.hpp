#pragma once
namespace rclcpp_lifecycle
{
class State {};
}
