// Runs an exported model: app WEIGHTS THREADS LEVEL. Its inputs are PORT.in, its outputs become PORT.out; LEVEL "-" stands for the best. Exits with 2 and a
// sentence where the model cannot be opened, with 3 where it cannot run. model.h includes the model's header and names its ports:
//   #define MODEL(name) tiny_##name
//   #define INPUTS(port) port(image)
//   #define OUTPUTS(port) port(scores)
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY(port) static MODEL(port) port;
INPUTS(MEMORY)
OUTPUTS(MEMORY)

static int transfer(const char *name, const char *mode, void *bytes, size_t count) {
  FILE *file = fopen(name, mode);
  if (!file) return 0;
  const size_t done = *mode == 'r' ? fread(bytes, 1, count, file) : fwrite(bytes, 1, count, file);
  return fclose(file) == 0 && done == count;
}

#ifdef FAILS
// What the environment's FAIL_AT counts down to fails: each request of the model for memory and threads.
#include <pthread.h>
static int left = -1;
static int fails(void) { return left >= 0 && left-- == 0; }
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t count, size_t bytes) { return fails() ? NULL : __real_calloc(count, bytes); }
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  return fails() ? 11 : __real_pthread_create(id, attributes, start, argument);
}
#endif

int main(int argc, char **argv) {
  char error[256] = "";
  if (argc != 4) return 1;
#define READ(port) if (!transfer(#port ".in", "rb", &port, sizeof port)) return 1;
  INPUTS(READ)
#ifdef FAILS
  left = atoi(getenv("FAIL_AT"));
#endif
  MODEL(model) *model = MODEL(open)(argv[1], atoi(argv[2]), strcmp(argv[3], "-") ? argv[3] : NULL, error, sizeof error);
  if (!model) return fprintf(stderr, "%s\n", error), 2;
#define MEMBER(port) .port = &port,
  const MODEL(inputs) inputs = {INPUTS(MEMBER)};
  const MODEL(outputs) outputs = {OUTPUTS(MEMBER)};
  // The second run finds what the first one left behind.
  for (int run = 0; run < 2; run++) {
    const char *fault = MODEL(run)(model, &inputs, &outputs);
    if (!fault) continue;
    fprintf(stderr, "%s\n", fault);
    MODEL(close)(model);
    return 3;
  }
  puts(MODEL(level)(model));
  MODEL(close)(model);
#define WRITE(port) if (!transfer(#port ".out", "wb", &port, sizeof port)) return 1;
  OUTPUTS(WRITE)
  return 0;
}
