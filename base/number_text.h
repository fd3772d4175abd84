// Numbers for people.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

std::string given_text(double value);   // as a person writes it: "30", "0.5", "0.0001"
std::string number_text(double value);  // 3 significant digits: "0.00123", "1.23", "123"
std::string time_text(
    double ms);  // in the unit that fits: "41.8 ns", "1.23 µs", "12.3 ms", "1.23 s"; "-" where there is none
std::string duration_text(double seconds);  // "15 s", "1 m 20 s", "2 h 5 m"
// A count with its noun: "1 record", "2 records"; `plural` where it is not the noun and an s.
std::string counted(int64_t count, std::string_view noun, std::string_view plural = {});

}  // namespace hone
