// The weights: files of at most 8 MiB that are parts of one array.
#pragma once
#include <errno.h>
#include <stdlib.h>

#include "hone_error.h"
#include "hone_plan.h"
#include "hone_sha256.h"

static bool hone_read_exactly(FILE* file, uint8_t* bytes, size_t count) {
  return fread(bytes, 1, count, file) == count && fgetc(file) == EOF && !ferror(file);
}

static bool hone_read_chunk(const char* folder, const hone_chunk* chunk, uint8_t* bytes, hone_error* error) {
  char path[4096];
  uint8_t digest[32];
  const int length = snprintf(path, sizeof path, "%s/%s", folder, chunk->file);
  if (length < 0 || (size_t)length >= sizeof path)
    return hone_fail(error, "the path of the weights' folder is too long");
  FILE* file = fopen(path, "rb");
  if (!file)
    return hone_fail(error, "%s cannot be opened: %s; give the folder that has the weights", path, strerror(errno));
  const bool whole = hone_read_exactly(file, bytes, chunk->bytes);
  fclose(file);
  if (!whole)
    return hone_fail(error, "%s has another size than the %zu bytes that were exported; export the model again", path,
                     chunk->bytes);
  hone_sha256(bytes, chunk->bytes, digest);
  if (memcmp(digest, chunk->sha256, sizeof digest) != 0)
    return hone_fail(error, "%s has another content than was exported; export the model again", path);
  return true;
}

// The caller frees it; NULL: failed.
static uint8_t* hone_read_weights(const hone_program* program, const char* folder, hone_error* error) {
  size_t bytes = 0, at = 0;
  for (size_t i = 0; i < program->chunk_count; i++) bytes += program->chunks[i].bytes;
  uint8_t* weights = malloc(bytes ? bytes : 1);
  if (!weights) {
    hone_fail(error, "there is no memory for %zu bytes of weights", bytes);
    return NULL;
  }
  for (size_t i = 0; i < program->chunk_count; at += program->chunks[i++].bytes)
    if (!hone_read_chunk(folder, &program->chunks[i], weights + at, error)) {
      free(weights);
      return NULL;
    }
  return weights;
}
