// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where a word of the format language stands. The lexer counts it, the tree and the
/// encodings made of it keep it, and messages say it.

#ifndef CAIRN_FORMAT_TEXT_POSITION_H
#define CAIRN_FORMAT_TEXT_POSITION_H

/// Where something was written, 1-based, columns in bytes.
typedef struct cairn_text_position {
    int line, column;
} cairn_text_position;

#endif
