// Between tensors, which are row-major and of the model's types, and what kernels read and write.
#pragma once
#include <string.h>

#include "hone_error.h"
#include "hone_plan.h"

static size_t hone_element_count(const hone_tensor* tensor) {
  size_t count = 1;
  for (int a = 0; a < tensor->rank; a++) count *= (size_t)tensor->shape[a];
  return count;
}

static size_t hone_type_bytes(hone_type type) {
  switch (type) {
    case HONE_I8:
    case HONE_U8:
    case HONE_BOOL:
      return 1;
    case HONE_F16:
    case HONE_I16:
    case HONE_U16:
      return 2;
    case HONE_F64:
    case HONE_I64:
    case HONE_U64:
      return 8;
    default:
      return 4;
  }
}

static float hone_from_half(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023;
  const uint32_t bits = sign | (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
  float value;
  memcpy(&value, &bits, sizeof value);
  return exponent ? value : (sign ? -1.0f : 1.0f) * (float)fraction / 16777216.0f;
}

// False for a whole number that kernels cannot hold.
static bool hone_load(hone_type type, const char* from, uint32_t* word) {
  double real;
  int64_t whole;
  uint64_t natural;
  uint16_t two_bytes;
  float value;
  switch (type) {
    case HONE_F64:
      memcpy(&real, from, sizeof real);
      value = (float)real;
      memcpy(word, &value, sizeof value);
      return true;
    case HONE_F16:
      memcpy(&two_bytes, from, sizeof two_bytes);
      value = hone_from_half(two_bytes);
      memcpy(word, &value, sizeof value);
      return true;
    case HONE_I8:
      *word = (uint32_t)(int8_t)*from;
      return true;
    case HONE_U8:
      *word = (uint8_t)*from;
      return true;
    case HONE_BOOL:
      *word = *from != 0;
      return true;
    case HONE_I16:
      memcpy(&two_bytes, from, sizeof two_bytes);
      *word = (uint32_t)(int16_t)two_bytes;
      return true;
    case HONE_U16:
      memcpy(&two_bytes, from, sizeof two_bytes);
      *word = two_bytes;
      return true;
    case HONE_I64:
      memcpy(&whole, from, sizeof whole);
      *word = (uint32_t)whole;
      return whole >= INT32_MIN && whole <= INT32_MAX;
    case HONE_U64:
      memcpy(&natural, from, sizeof natural);
      *word = (uint32_t)natural;
      return natural <= UINT32_MAX;
    default:
      memcpy(word, from, sizeof *word);
      return true;
  }
}

static void hone_store(hone_type type, uint32_t word, char* to) {
  float value;
  memcpy(&value, &word, sizeof value);
  const double real = (double)value;
  const int64_t whole = (int32_t)word;
  const uint64_t natural = word;
  const uint16_t two_bytes = (uint16_t)word;
  switch (type) {
    case HONE_F64:
      memcpy(to, &real, sizeof real);
      break;
    case HONE_I64:
      memcpy(to, &whole, sizeof whole);
      break;
    case HONE_U64:
      memcpy(to, &natural, sizeof natural);
      break;
    case HONE_I16:
    case HONE_U16:
      memcpy(to, &two_bytes, sizeof two_bytes);
      break;
    case HONE_I8:
    case HONE_U8:
      *to = (char)(uint8_t)word;
      break;
    case HONE_BOOL:
      *to = word != 0;
      break;
    default:
      memcpy(to, &word, sizeof word);
  }
}

// Goes through a layout by rows: runs of its last physical dimension.
typedef struct {
  const hone_tensor* tensor;
  const hone_dim* dims;
  int dim_count;
  int64_t at[HONE_DIMS_MAX];      // of each physical dimension
  int64_t index[HONE_DIMS_MAX];   // of each axis
  int64_t stride[HONE_DIMS_MAX];  // of each axis, in elements
  size_t rows;                    // that are left
  size_t step;                    // elements of the tensor between neighbours in a row
  size_t row_bytes;
} hone_cursor;

static hone_cursor hone_begin(const hone_tensor* tensor, const hone_place* place) {
  hone_cursor cursor = {.tensor = tensor, .dims = place->dims, .dim_count = place->dim_count, .rows = 1};
  const hone_dim* last = &place->dims[place->dim_count - 1];
  int64_t stride = 1;
  for (int a = tensor->rank; a-- > 0; stride *= tensor->shape[a]) cursor.stride[a] = stride;
  for (int d = 0; d < place->dim_count - 1; d++) cursor.rows *= (size_t)place->dims[d].size;
  cursor.step = (size_t)(last->div * cursor.stride[last->axis]);
  cursor.row_bytes = 4 * (size_t)last->size;
  return cursor;
}

// How many elements of the row are the tensor's, its first ones, and the first of them.
static size_t hone_row(const hone_cursor* cursor, size_t* first) {
  const hone_dim* last = &cursor->dims[cursor->dim_count - 1];
  int64_t sum = 0;
  for (int a = 0; a < cursor->tensor->rank; a++) {
    if (cursor->index[a] >= cursor->tensor->shape[a]) return 0;
    sum += cursor->index[a] * cursor->stride[a];
  }
  *first = (size_t)sum;
  const int64_t left = (cursor->tensor->shape[last->axis] - cursor->index[last->axis] + last->div - 1) / last->div;
  return (size_t)(left < last->size ? left : last->size);
}

static void hone_advance(hone_cursor* cursor) {
  cursor->rows--;
  for (int d = cursor->dim_count - 1; d-- > 0;) {
    const hone_dim* dim = &cursor->dims[d];
    cursor->index[dim->axis] += dim->div;
    if (++cursor->at[d] < dim->size) return;
    cursor->index[dim->axis] -= dim->div * dim->size;
    cursor->at[d] = 0;
  }
}

static bool hone_too_large(const hone_tensor* tensor, const char* from, size_t element, hone_error* error) {
  int64_t whole;
  memcpy(&whole, from, sizeof whole);
  if (tensor->type == HONE_U64)
    return hone_fail(error, "element %zu of the input %s is %llu; kernels know whole numbers up to 4294967295", element,
                     tensor->name, (unsigned long long)whole);
  return hone_fail(error,
                   "element %zu of the input %s is %lld; kernels know whole numbers from -2147483648 to 2147483647",
                   element, tensor->name, (long long)whole);
}

// Elements first, first + step, … become words one after the other.
static bool hone_load_run(const hone_tensor* tensor, const char* from, size_t first, size_t step, size_t count,
                          char* to, hone_error* error) {
  const size_t bytes = hone_type_bytes(tensor->type);
  for (size_t i = 0; i < count; i++) {
    const size_t element = first + i * step;
    uint32_t word;
    if (!hone_load(tensor->type, from + element * bytes, &word))
      return hone_too_large(tensor, from + element * bytes, element, error);
    memcpy(to + 4 * i, &word, sizeof word);
  }
  return true;
}

static void hone_store_run(const hone_tensor* tensor, const char* from, size_t first, size_t step, size_t count,
                           char* to) {
  const size_t bytes = hone_type_bytes(tensor->type);
  for (size_t i = 0; i < count; i++) {
    uint32_t word;
    memcpy(&word, from + 4 * i, sizeof word);
    hone_store(tensor->type, word, to + (first + i * step) * bytes);
  }
}

static bool hone_is_word(hone_type type) { return type == HONE_F32 || type == HONE_I32 || type == HONE_U32; }

// What holds no element is left as it is.
static bool hone_pack(const hone_tensor* tensor, const hone_place* place, const char* from, char* memory,
                      hone_error* error) {
  char* to = memory + place->at;
  const size_t count = hone_element_count(tensor);
  if (!place->dim_count && !hone_is_word(tensor->type)) return hone_load_run(tensor, from, 0, 1, count, to, error);
  if (!place->dim_count) return memcpy(to, from, 4 * count), true;
  size_t first = 0;
  for (hone_cursor cursor = hone_begin(tensor, place); cursor.rows; hone_advance(&cursor), to += cursor.row_bytes) {
    const size_t found = hone_row(&cursor, &first);
    if (!hone_load_run(tensor, from, first, cursor.step, found, to, error)) return false;
  }
  return true;
}

static void hone_unpack(const hone_tensor* tensor, const hone_place* place, const char* memory, char* to) {
  const char* from = memory + place->at;
  const size_t count = hone_element_count(tensor);
  size_t first = 0;
  if (place->dim_count) {
    for (hone_cursor cursor = hone_begin(tensor, place); cursor.rows; hone_advance(&cursor), from += cursor.row_bytes) {
      const size_t found = hone_row(&cursor, &first);
      hone_store_run(tensor, from, first, cursor.step, found, to);
    }
  } else if (hone_is_word(tensor->type)) {
    memcpy(to, from, 4 * count);
  } else {
    hone_store_run(tensor, from, 0, 1, count, to);
  }
}
