// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What the headers for C++ libraries throw. C++17.

#ifndef CAIRN_ERROR_HPP
#define CAIRN_ERROR_HPP

#include <cairn/status.h>

#include <stdexcept>

namespace cairn
{

/// A status that is no success, with the context's message.
class Error : public std::runtime_error
{
  public:
    Error(cairn_status status, const char *message)
        : std::runtime_error(message && *message ? message : cairn_status_text(status)),
          status_(status)
    {
    }

    cairn_status status() const noexcept
    {
        return status_;
    }

  private:
    cairn_status status_;
};

} // namespace cairn

#endif
