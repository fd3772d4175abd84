// Error scopes around one piece of GPU work, and the outcome that an error stands for.
import type { Attempt, OutcomeName } from '../outcome.ts';
import { failure, success } from '../outcome.ts';

const filters: readonly GPUErrorFilter[] = ['validation', 'out-of-memory', 'internal'];

// Runs `work` inside fresh scopes and resolves with its value, or with the first error that the device reported for it. The scopes are
// pushed and popped around the synchronous part of `work`, so several scoped calls may be under way at once.
export async function scoped<T>(device: GPUDevice, work: () => Promise<T>): Promise<Attempt<T>> {
  for (const filter of filters) device.pushErrorScope(filter);
  let value: Promise<T>;
  try {
    value = work();
  } catch (error) {
    for (const _ of filters) void device.popErrorScope().catch(() => null);
    return failure('validation_error', describe(error));
  }
  const errors = filters.map(() => device.popErrorScope());
  const settled = await value.then(v => success(v), (error: unknown) => failure(outcomeOf(error), describe(error)));
  for (const pending of errors) {
    const error = await pending.catch(() => null);
    if (error) return failure(outcomeOf(error), error.message);
  }
  return settled;
}

export function outcomeOf(error: unknown): OutcomeName {
  if (error instanceof GPUOutOfMemoryError) return 'out_of_memory';
  return 'validation_error';
}

export function describe(error: unknown): string {
  return error instanceof Error || error instanceof GPUError ? error.message : String(error);
}
