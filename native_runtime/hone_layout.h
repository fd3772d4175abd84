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

// Goes through the physical elements of a layout in their order.
typedef struct {
  const hone_tensor* tensor;
  const hone_place* place;
  int64_t at[HONE_DIMS_MAX];      // of each physical dimension
  int64_t index[HONE_DIMS_MAX];   // of each axis
  int64_t stride[HONE_DIMS_MAX];  // of each axis, in elements
  size_t count;                   // physical elements
} hone_cursor;

static hone_cursor hone_begin(const hone_tensor* tensor, const hone_place* place) {
  hone_cursor cursor = {.tensor = tensor, .place = place, .count = 1};
  int64_t stride = 1;
  for (int a = tensor->rank; a-- > 0; stride *= tensor->shape[a]) cursor.stride[a] = stride;
  for (int d = 0; d < place->dim_count; d++) cursor.count *= (size_t)place->dims[d].size;
  return cursor;
}

// False where the physical element holds none of the tensor.
static bool hone_is_inside(const hone_cursor* cursor, size_t* element) {
  int64_t sum = 0;
  for (int a = 0; a < cursor->tensor->rank; a++) {
    if (cursor->index[a] >= cursor->tensor->shape[a]) return false;
    sum += cursor->index[a] * cursor->stride[a];
  }
  *element = (size_t)sum;
  return true;
}

static void hone_advance(hone_cursor* cursor) {
  for (int d = cursor->place->dim_count; d-- > 0;) {
    const hone_dim* dim = &cursor->place->dims[d];
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

static bool hone_load_element(const hone_tensor* tensor, const char* from, size_t element, char* to,
                              hone_error* error) {
  uint32_t word;
  from += element * hone_type_bytes(tensor->type);
  if (!hone_load(tensor->type, from, &word)) return hone_too_large(tensor, from, element, error);
  memcpy(to, &word, sizeof word);
  return true;
}

// What holds no element is left as it is.
static bool hone_pack(const hone_tensor* tensor, const hone_place* place, const char* from, char* memory,
                      hone_error* error) {
  char* to = memory + place->at;
  const size_t count = hone_element_count(tensor);
  size_t element;
  if (place->dim_count) {
    hone_cursor cursor = hone_begin(tensor, place);
    for (; cursor.count; cursor.count--, to += 4, hone_advance(&cursor))
      if (hone_is_inside(&cursor, &element) && !hone_load_element(tensor, from, element, to, error)) return false;
  } else if (tensor->type == HONE_F32 || tensor->type == HONE_I32 || tensor->type == HONE_U32) {
    memcpy(to, from, 4 * count);
  } else {
    for (element = 0; element < count; element++, to += 4)
      if (!hone_load_element(tensor, from, element, to, error)) return false;
  }
  return true;
}

static void hone_unpack(const hone_tensor* tensor, const hone_place* place, const char* memory, char* to) {
  const char* from = memory + place->at;
  const size_t bytes = hone_type_bytes(tensor->type), count = hone_element_count(tensor);
  size_t element;
  uint32_t word;
  if (place->dim_count) {
    hone_cursor cursor = hone_begin(tensor, place);
    for (; cursor.count; cursor.count--, from += 4, hone_advance(&cursor)) {
      memcpy(&word, from, sizeof word);
      if (hone_is_inside(&cursor, &element)) hone_store(tensor->type, word, to + element * bytes);
    }
  } else if (tensor->type == HONE_F32 || tensor->type == HONE_I32 || tensor->type == HONE_U32) {
    memcpy(to, from, 4 * count);
  } else {
    for (element = 0; element < count; element++, from += 4) {
      memcpy(&word, from, sizeof word);
      hone_store(tensor->type, word, to + element * bytes);
    }
  }
}
