// Errors are one sentence, written into the caller's array.
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
  char* text;  // may be NULL
  size_t bytes;
} hone_error;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
// Always false, so that a function may return it.
static bool
hone_fail(hone_error* error, const char* format, ...) {
  va_list values;
  va_start(values, format);
  if (error->text && error->bytes) vsnprintf(error->text, error->bytes, format, values);
  va_end(values);
  return false;
}
