#pragma once
#include <type_traits>
#define PLUGINLIB_EXPORT_CLASS(Class, Base) \
  static_assert(std::is_base_of_v<Base, Class> && std::is_default_constructible_v<Class>);
