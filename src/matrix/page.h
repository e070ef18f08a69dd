// SPDX-License-Identifier: MIT
/* The template of the HTML page, generated from page.html by tools/embed-text. */
#ifndef MATRIX_PAGE_H
#define MATRIX_PAGE_H

extern const char matrix_page[];

#endif
