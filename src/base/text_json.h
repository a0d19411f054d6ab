// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Strings of JSON, for rooms that print it piece by piece. The library is jansson.

#ifndef CAIRN_BASE_TEXT_JSON_H
#define CAIRN_BASE_TEXT_JSON_H

#include "base/text.h"

/// Append @p string in quotes, with what JSON wants escaped. Bytes beyond ASCII become
/// question marks where @p string is no UTF-8.
void cairn_text_add_json(cairn_text *text, const char *string);

#endif
