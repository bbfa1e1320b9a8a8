// SPDX-License-Identifier: MIT
// Files that the environment asks for: path.<pid>, written with plain system calls so that nothing depends on stdio at exit.
#pragma once
#include <string>
#include <string_view>

namespace ab::report {

/// Creates path.<pid>, emptied; its descriptor (above those of standard streams, closed on exec), or -1 with errno set.
int create_output(const std::string& path, long process_id) noexcept;

/// Writes everything, restarted when interrupted. False with errno set on failure.
bool write_whole(int descriptor, std::string_view text) noexcept;

/// The same at the end of a file of ours; a piece that a full disk lets through is taken back if nobody has written after it.
bool append_whole(int descriptor, std::string_view text) noexcept;

/// The name of the running program, without folder.
std::string program_name();

}  // namespace ab::report
