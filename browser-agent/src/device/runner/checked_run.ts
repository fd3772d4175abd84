// A program's run whose outputs are compared.
import type { Attempt } from '../../core/outcome.ts';
import { failure } from '../../core/outcome.ts';
import type { CheckReport } from '../backend.ts';
import type { StandIn, TaskBuffers } from './buffers.ts';
import type { Runner } from './runner.ts';

export interface CheckedRun {
  readonly runner: Runner;
  readonly buffers: TaskBuffers;
  readonly program: number;
  readonly inspected: number;      // the program that knows all buffers which must stay as they are
}

// Poisons the outputs, runs `repeats` times, and compares. standIn: where the last of these writes them. wrong_output, too, where the program wrote
// what is not its own.
export async function checkedRun({ runner, buffers, program, inspected }: CheckedRun, repeats: number, standIn?: StandIn): Promise<Attempt<CheckReport>> {
  const reset = await buffers.reset(standIn);
  if (!reset.ok) return reset;
  const ran = await runner.run(program, repeats);
  if (!ran.ok) return ran;
  const finding = await runner.inspect(inspected);
  if (!finding.ok) return finding;
  return finding.value === '' ? buffers.compare(ran.value, standIn) : failure('wrong_output', `the kernel ${finding.value}`);
}
