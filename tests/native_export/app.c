// Runs an exported model: app WEIGHTS THREADS LEVEL. Its inputs are PORT.in, its outputs become PORT.out; LEVEL "-" stands for the best. Exits with 2 and a
// sentence where the model cannot be opened, with 3 where it cannot run. With TWINS two models run at once, and it exits with 4 where they differ. model.h includes the model's header and names its ports:
//   #define MODEL(name) tiny_##name
//   #define INPUTS(port) port(image)
//   #define OUTPUTS(port) port(scores)
#include "model.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY(port) MODEL(port) port;
static struct { INPUTS(MEMORY) } given;
typedef struct { OUTPUTS(MEMORY) } results;

static int transfer(const char *name, const char *mode, void *bytes, size_t count) {
  FILE *file = fopen(name, mode);
  if (!file) return 0;
  const size_t done = *mode == 'r' ? fread(bytes, 1, count, file) : fwrite(bytes, 1, count, file);
  return fclose(file) == 0 && done == count;
}

#ifdef FAILS
// What the environment's FAIL_AT counts down to fails: each request of the model for memory and threads.
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

static int work(char **argv, results *found) {
  char error[256] = "";
  MODEL(model) *model = MODEL(open)(argv[1], atoi(argv[2]), strcmp(argv[3], "-") ? argv[3] : NULL, error, sizeof error);
  if (!model) return fprintf(stderr, "%s\n", error), 2;
#define GIVEN(port) .port = &given.port,
  const MODEL(inputs) inputs = {INPUTS(GIVEN)};
#define FOUND(port) .port = &found->port,
  const MODEL(outputs) outputs = {OUTPUTS(FOUND)};
  const char *fault = NULL;
  // The second run finds what the first one left behind.
  for (int run = 0; run < 2 && !fault; run++) fault = MODEL(run)(model, &inputs, &outputs);
  if (fault) fprintf(stderr, "%s\n", fault);
  else puts(MODEL(level)(model));
  MODEL(close)(model);
  return fault ? 3 : 0;
}

#ifdef TWINS
static results second;
static void *work_beside(void *argv) { return work(argv, &second) ? NULL : &second; }
#endif

int main(int argc, char **argv) {
  static results first;
  if (argc != 4) return 1;
#define READ(port) if (!transfer(#port ".in", "rb", &given.port, sizeof given.port)) return 1;
  INPUTS(READ)
#ifdef FAILS
  left = atoi(getenv("FAIL_AT"));
#endif
#ifdef TWINS
  pthread_t beside;
  if (pthread_create(&beside, NULL, work_beside, argv)) return 1;
#endif
  const int status = work(argv, &first);
#ifdef TWINS
  void *done = NULL;
  if (pthread_join(beside, &done) || !done || memcmp(&first, &second, sizeof first) != 0) return 4;
#endif
#define WRITE(port) if (!transfer(#port ".out", "wb", &first.port, sizeof first.port)) return 1;
  if (!status) { OUTPUTS(WRITE) }
  return status;
}
