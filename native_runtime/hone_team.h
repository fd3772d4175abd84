// The threads that run a model: the caller's, and helpers, which are started once and sleep between runs. POSIX threads, because they are wherever
// ELF objects are linked, and C11's own are not.
#pragma once
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "hone_error.h"
#include "hone_plan.h"

#define HONE_RANGES_PER_THREAD 4  // of a launch: who is early takes another one
#define HONE_SPINS 2000           // some 50 µs: from one launch to the next nobody falls asleep

typedef struct hone_team hone_team;

typedef struct {
  hone_team* team;
  size_t thread;  // 0 is the caller's
  pthread_t id;
} hone_helper;

struct hone_team {
  hone_helper* helpers;
  size_t helper_count;
  pthread_mutex_t mutex;
  pthread_cond_t posted_changed, all_answered;
  // A launch is posted by its number; each helper answers it once.
  atomic_uint posted;
  atomic_size_t owing;
  atomic_bool ending;
  const hone_launch* launch;
  void** args;  // of thread 0; those of the next one lie args_per_thread behind
  size_t args_per_thread;
  int64_t grain;
  _Atomic int64_t next;
};

static void hone_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void hone_take_ranges(hone_team* team, size_t thread) {
  const hone_launch* launch = team->launch;
  void* const* args = team->args + thread * team->args_per_thread + launch->first_arg;
  for (;;) {
    const int64_t begin = atomic_fetch_add(&team->next, team->grain);
    if (begin >= launch->extent) return;
    const int64_t end = begin + team->grain;
    launch->entry(args, begin, end < launch->extent ? end : launch->extent);
  }
}

static void hone_await_post(hone_team* team, unsigned seen) {
  for (int i = 0; i < HONE_SPINS; i++, hone_pause())
    if (atomic_load(&team->posted) != seen) return;
  pthread_mutex_lock(&team->mutex);
  while (atomic_load(&team->posted) == seen) pthread_cond_wait(&team->posted_changed, &team->mutex);
  pthread_mutex_unlock(&team->mutex);
}

static void hone_post(hone_team* team) {
  pthread_mutex_lock(&team->mutex);
  atomic_fetch_add(&team->posted, 1);
  pthread_cond_broadcast(&team->posted_changed);
  pthread_mutex_unlock(&team->mutex);
}

static void hone_answer(hone_team* team) {
  if (atomic_fetch_sub(&team->owing, 1) != 1) return;
  pthread_mutex_lock(&team->mutex);
  pthread_cond_signal(&team->all_answered);
  pthread_mutex_unlock(&team->mutex);
}

static void hone_await_answers(hone_team* team) {
  for (int i = 0; i < HONE_SPINS; i++, hone_pause())
    if (atomic_load(&team->owing) == 0) return;
  pthread_mutex_lock(&team->mutex);
  while (atomic_load(&team->owing) != 0) pthread_cond_wait(&team->all_answered, &team->mutex);
  pthread_mutex_unlock(&team->mutex);
}

static void* hone_help(void* argument) {
  const hone_helper* helper = argument;
  for (unsigned seen = 0;; seen++) {
    hone_await_post(helper->team, seen);
    if (atomic_load(&helper->team->ending)) return NULL;
    hone_take_ranges(helper->team, helper->thread);
    hone_answer(helper->team);
  }
}

static void hone_end_team(hone_team* team) {
  atomic_store(&team->ending, true);
  if (team->helper_count) hone_post(team);
  for (size_t i = 0; i < team->helper_count; i++) pthread_join(team->helpers[i].id, NULL);
  if (team->helpers) {
    pthread_cond_destroy(&team->all_answered);
    pthread_cond_destroy(&team->posted_changed);
    pthread_mutex_destroy(&team->mutex);
  }
  free(team->helpers);
}

// team: all zeros. What was started is ended by hone_end_team, also after a failure.
static bool hone_start_team(hone_team* team, size_t threads, hone_error* error) {
  if (threads < 2) return true;
  team->helpers = calloc(threads - 1, sizeof *team->helpers);
  if (!team->helpers) return hone_fail(error, "there is no memory for %zu threads", threads);
  pthread_mutex_init(&team->mutex, NULL);
  pthread_cond_init(&team->posted_changed, NULL);
  pthread_cond_init(&team->all_answered, NULL);
  for (; team->helper_count < threads - 1; team->helper_count++) {
    hone_helper* helper = &team->helpers[team->helper_count];
    *helper = (hone_helper){.team = team, .thread = team->helper_count + 1};
    const int status = pthread_create(&helper->id, NULL, hone_help, helper);
    if (status)
      return hone_fail(error, "thread %zu of %zu cannot be started: %s", helper->thread + 1, threads, strerror(status));
  }
  return true;
}

// Runs all iterations and returns.
static void hone_run_launch(hone_team* team, const hone_launch* launch) {
  if (launch->extent == 1 || team->helper_count == 0) {
    launch->entry(team->args + launch->first_arg, 0, launch->extent);
    return;
  }
  const int64_t ranges = HONE_RANGES_PER_THREAD * (int64_t)(team->helper_count + 1);
  team->launch = launch;
  team->grain = launch->extent > ranges ? launch->extent / ranges : 1;
  atomic_store(&team->next, 0);
  atomic_store(&team->owing, team->helper_count);
  hone_post(team);
  hone_take_ranges(team, 0);
  hone_await_answers(team);
}
