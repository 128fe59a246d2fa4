// A value that one thread writes and another reads; every other reading fails, as if the box were in use.
#pragma once
#include <optional>
namespace realtime_tools
{
template <class T>
class RealtimeThreadSafeBox
{
public:
  template <class F>
  void set(F && change) {change(value_); busy_ = true;}
  std::optional<T> try_get() const
  {
    busy_ = !busy_;
    return busy_ ? std::nullopt : std::optional<T>(value_);
  }

private:
  T value_{};
  mutable bool busy_ = true;
};
}
