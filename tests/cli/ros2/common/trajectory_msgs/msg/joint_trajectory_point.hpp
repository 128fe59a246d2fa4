#pragma once
#include <memory>
#include <vector>
namespace trajectory_msgs::msg
{
struct JointTrajectoryPoint
{
  using SharedPtr = std::shared_ptr<JointTrajectoryPoint>;
  std::vector<double> positions, velocities, accelerations, effort;
};
}
