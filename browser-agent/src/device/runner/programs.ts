// Launches bound as one program, and as another without those that need run but once.
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { Call, Runner } from './runner.ts';

export interface Programs {
  all: number;
  repeated: number;   // without what is ahead: of use once `all` has run. The same where nothing is
}

export async function bindPrograms(runner: Runner, calls: readonly Call[]): Promise<Attempt<Programs>> {
  const all = await runner.bind(calls), later = calls.filter(({ ahead }) => ahead !== true);
  if (!all.ok) return all;
  if (later.length === calls.length) return success({ all: all.value, repeated: all.value });
  const repeated = await runner.bind(later);
  if (!repeated.ok) runner.unbind(all.value);
  return repeated.ok ? success({ all: all.value, repeated: repeated.value }) : repeated;
}

export function unbindPrograms(runner: Runner, { all, repeated }: Programs): void {
  runner.unbind(all);
  if (repeated !== all) runner.unbind(repeated);
}
