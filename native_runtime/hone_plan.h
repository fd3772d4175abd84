// What an exported model consists of: tables of constants, which its own .c file fills in.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define HONE_DIMS_MAX 32  // of a tensor, and of a layout

typedef enum {
  HONE_F32,
  HONE_F64,
  HONE_F16,
  HONE_I8,
  HONE_I16,
  HONE_I32,
  HONE_I64,
  HONE_U8,
  HONE_U16,
  HONE_U32,
  HONE_U64,
  HONE_BOOL
} hone_type;

// Row-major.
typedef struct {
  const char* name;  // NULL for weights
  hone_type type;
  int rank;
  const int64_t* shape;
  size_t offset;  // of weights: among the bytes of all chunks
} hone_tensor;

// A physical dimension takes (index[axis] / div) % size; outermost first.
typedef struct {
  int axis;
  int64_t div, size;
} hone_dim;

// A tensor as kernels read or write it: elements of four bytes, f32, i32 or u32. dim_count 0: row-major.
typedef struct {
  size_t tensor;
  size_t at;  // bytes from the beginning of the plan's memory
  int dim_count;
  const hone_dim* dims;
} hone_place;

// Runs iterations begin … end-1 of a launch, in any split over threads.
typedef void hone_entry(void* const* args, int64_t begin, int64_t end);

typedef struct {
  hone_entry* entry;
  int64_t extent;
  size_t first_arg, arg_count;  // in hone_plan.args; the last stands for the scratch memory of a thread
} hone_launch;

// Launches first … last-1 run again and again: `trips` times, or, where that is negative, while the word at `condition` is not 0. Loops stand in the order in which
// they begin, outer ones first.
typedef struct {
  size_t first, last;
  int64_t trips;
  size_t condition;  // bytes from the beginning of the plan's memory
} hone_loop;

// All that runs a model on one level of instruction sets.
typedef struct {
  const char* level;
  int (*runs_here)(void);
  const hone_launch* launches;
  size_t launch_count;
  const hone_loop* loops;
  size_t loop_count;
  const size_t* args;  // bytes from the beginning of the plan's memory
  size_t arg_count;
  const hone_place *weights, *inputs, *outputs;
  size_t weight_count, input_count, output_count;
  size_t memory_bytes;   // multiple of 64, as are the next two
  size_t scratch_bytes;  // of each thread
  size_t reach_bytes;    // that reads may go beyond the memory
} hone_plan;

typedef struct {
  const char* file;
  size_t bytes;
  uint8_t sha256[32];
} hone_chunk;

typedef struct {
  const hone_tensor *inputs, *outputs, *weights;
  size_t input_count, output_count;
  const hone_chunk* chunks;
  size_t chunk_count;
  const hone_plan* plans;  // the best first
  size_t plan_count;
  const char* const* watched;  // values that may leave 32 bits; the last output is 0, or 1 + the place of the first that has
  size_t watched_count;        // 0: none may, and no output tells
} hone_program;
