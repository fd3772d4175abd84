// A model that is open: its memory, with the weights as the kernels read them, and its threads.
#pragma once
#include <unistd.h>

#include "hone_layout.h"
#include "hone_level.h"
#include "hone_team.h"
#include "hone_weights.h"

#define HONE_ALIGNMENT 64
#define HONE_THREADS_MAX 1024

typedef struct {
  const hone_program* program;
  const hone_plan* plan;
  char* block;   // reach, memory, scratch memory of each thread, reach
  char* memory;  // aligned
  hone_team team;
  char error[256];
} hone_model;

// level: NULL for the best that this processor has.
static const hone_plan* hone_choose_plan(const hone_program* program, const char* level, hone_error* error) {
  for (size_t i = 0; i < program->plan_count; i++) {
    const hone_plan* plan = &program->plans[i];
    if (level && strcmp(level, plan->level) != 0) continue;
    if (plan->runs_here()) return plan;
    if (level) return hone_fail(error, "this processor lacks instructions of %s", level), NULL;
  }
  const char* least = program->plans[program->plan_count - 1].level;
  if (level)
    hone_fail(error, "there are no kernels for '%s' on this processor; %s is a level that has some", level, least);
  else hone_fail(error, "this processor lacks instructions of %s, the least that this model has kernels for", least);
  return NULL;
}

static bool hone_make_memory(hone_model* model, size_t threads, hone_error* error) {
  const hone_plan* plan = model->plan;
  const size_t bytes = plan->memory_bytes + threads * plan->scratch_bytes + 2 * plan->reach_bytes + HONE_ALIGNMENT;
  model->block = calloc(1, bytes);
  model->team.args = calloc(threads * plan->arg_count + 1, sizeof *model->team.args);
  if (!model->block || !model->team.args)
    return hone_fail(error, "there is no memory for the %zu bytes that the model needs", bytes);
  model->memory = model->block + plan->reach_bytes;
  model->memory += (HONE_ALIGNMENT - (uintptr_t)model->memory % HONE_ALIGNMENT) % HONE_ALIGNMENT;
  return true;
}

static void hone_place_args(hone_model* model, size_t threads) {
  const hone_plan* plan = model->plan;
  model->team.args_per_thread = plan->arg_count;
  for (size_t thread = 0; thread < threads; thread++) {
    void** args = model->team.args + thread * plan->arg_count;
    char* scratch = model->memory + plan->memory_bytes + thread * plan->scratch_bytes;
    for (size_t i = 0; i < plan->arg_count; i++) args[i] = model->memory + plan->args[i];
    for (size_t i = 0; i < plan->launch_count; i++)
      args[plan->launches[i].first_arg + plan->launches[i].arg_count - 1] = scratch;
  }
}

static bool hone_place_weights(hone_model* model, const char* folder, hone_error* error) {
  const hone_plan* plan = model->plan;
  uint8_t* weights = hone_read_weights(model->program, folder, error);
  bool done = weights != NULL;
  for (size_t i = 0; done && i < plan->weight_count; i++) {
    const hone_tensor* tensor = &model->program->weights[plan->weights[i].tensor];
    done = hone_pack(tensor, &plan->weights[i], (const char*)weights + tensor->offset, model->memory, error);
  }
  free(weights);
  return done;
}

static void hone_close(hone_model* model) {
  if (!model) return;
  hone_end_team(&model->team);
  free(model->team.args);
  free(model->block);
  free(model);
}

static bool hone_set_up(hone_model* model, const char* folder, size_t threads, hone_error* error) {
  if (!hone_make_memory(model, threads, error) || !hone_place_weights(model, folder, error)) return false;
  hone_place_args(model, threads);
  return hone_start_team(&model->team, threads, error);
}

static long hone_processors(void) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1 ? 1 : processors < HONE_THREADS_MAX ? processors : HONE_THREADS_MAX;
}

// NULL: failed, with nothing left behind.
static hone_model* hone_open(const hone_program* program, const char* folder, int threads, const char* level,
                             char* text, size_t bytes) {
  hone_error error = {text, bytes};
  if (threads < 0 || threads > HONE_THREADS_MAX) {
    hone_fail(&error, "%d threads cannot be; give 1 to %d, or 0 for one on each processor", threads, HONE_THREADS_MAX);
    return NULL;
  }
  const hone_plan* plan = hone_choose_plan(program, level, &error);
  if (!plan) return NULL;
  hone_model* model = calloc(1, sizeof *model);
  if (!model) {
    hone_fail(&error, "there is no memory for the model");
    return NULL;
  }
  model->program = program;
  model->plan = plan;
  if (hone_set_up(model, folder ? folder : ".", (size_t)(threads ? threads : hone_processors()), &error)) return model;
  hone_close(model);
  return NULL;
}

static bool hone_goes_on(const hone_model* model, const hone_loop* loop, int64_t trip) {
  if (loop->trips >= 0) return trip < loop->trips;
  uint32_t word;
  memcpy(&word, model->memory + loop->condition, sizeof word);
  return word != 0;
}

// Launches first … last-1, in which no loop before `loop` begins.
static void hone_run_launches(hone_model* model, size_t first, size_t last, size_t loop) {
  const hone_plan* plan = model->plan;
  for (size_t i = first; i < last;) {
    while (loop < plan->loop_count && plan->loops[loop].first < i) loop++;
    if (loop == plan->loop_count || plan->loops[loop].first > i) {
      hone_run_launch(&model->team, &plan->launches[i++]);
      continue;
    }
    const hone_loop* found = &plan->loops[loop];
    for (int64_t trip = 0; hone_goes_on(model, found, trip); trip++) hone_run_launches(model, found->first, found->last, loop + 1);
    i = found->last;
  }
}

// Whether all whole numbers stayed within the 32 bits in which kernels compute them.
static bool hone_stayed_within(const hone_model* model, hone_error* error) {
  const hone_program* program = model->program;
  int32_t told = 0;
  for (size_t i = 0; program->watched_count && i < model->plan->output_count; i++) {
    const hone_place* place = &model->plan->outputs[i];
    if (place->tensor + 1 == program->output_count)
      hone_unpack(&program->outputs[place->tensor], place, model->memory, (char*)&told);
  }
  if (told < 1 || (size_t)told > program->watched_count) return true;
  return hone_fail(error, "the value %.100s left the 32 bits in which kernels compute whole numbers of 64; give smaller inputs",
                   program->watched[told - 1]);
}

// An output that is NULL is not wanted. Returns NULL, or what is wrong with the inputs; outputs are not written then.
static const char* hone_run(hone_model* model, const void* const* inputs, void* const* outputs) {
  const hone_program* program = model->program;
  const hone_plan* plan = model->plan;
  hone_error error = {model->error, sizeof model->error};
  for (size_t i = 0; i < program->input_count; i++)
    if (!inputs[i]) return hone_fail(&error, "the input %s is missing", program->inputs[i].name), model->error;
  for (size_t i = 0; i < plan->input_count; i++) {
    const hone_place* place = &plan->inputs[i];
    if (!hone_pack(&program->inputs[place->tensor], place, inputs[place->tensor], model->memory, &error))
      return model->error;
  }
  hone_run_launches(model, 0, plan->launch_count, 0);
  if (!hone_stayed_within(model, &error)) return model->error;
  for (size_t i = 0; i < plan->output_count; i++) {
    const hone_place* place = &plan->outputs[i];
    if (outputs[place->tensor])
      hone_unpack(&program->outputs[place->tensor], place, model->memory, outputs[place->tensor]);
  }
  return NULL;
}
