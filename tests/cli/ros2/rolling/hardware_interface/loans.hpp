// Loaned interfaces as in newer releases: a value may be missing, and writing may fail.
#pragma once
#include <optional>
#include <string>
namespace hardware_interface
{
inline bool writable = true;
struct LoanedStateInterface
{
  std::string name;
  double * memory;
  const std::string & get_name() const {return name;}
  [[deprecated]] double get_value() const {return *memory;}
  template <typename T = double>
  [[nodiscard]] std::optional<T> get_optional(unsigned int = 10) const
  {
    return *memory == -1000.0 ? std::nullopt : std::optional<T>(*memory);  // a state that cannot be read
  }
};
struct LoanedCommandInterface : LoanedStateInterface
{
  template <typename T>
  [[nodiscard]] bool set_value(const T & value, unsigned int = 10) {if (writable) {*memory = value;} return writable;}
};
}
