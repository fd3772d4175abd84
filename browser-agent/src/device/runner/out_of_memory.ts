import type { Attempt } from '../../core/outcome.ts';
import { failure } from '../../core/outcome.ts';

// No memory in the agent itself.
export async function orOutOfMemory<T>(make: () => Promise<Attempt<T>>): Promise<Attempt<T>> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof RangeError) return failure('out_of_memory', error.message);
    throw error;
  }
}
