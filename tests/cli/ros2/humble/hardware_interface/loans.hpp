// Loaned interfaces as in Humble: plain values.
#pragma once
#include <string>
namespace hardware_interface
{
inline bool writable = true;
struct LoanedStateInterface
{
  std::string name;
  double * memory;
  const std::string & get_name() const {return name;}
  double get_value() const {return *memory;}
};
struct LoanedCommandInterface : LoanedStateInterface
{
  void set_value(double value) {*memory = value;}
};
}
