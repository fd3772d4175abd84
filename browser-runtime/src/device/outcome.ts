// A step that may fail with an outcome of schema/errors.json; the counterpart of C++'s Result.
import type { ErrorName } from '../generated/errors.ts';

export type OutcomeName = ErrorName;

export type Attempt<T> = { ok: true; value: T } | { ok: false; outcome: OutcomeName; message: string };

export function success<T>(value: T): Attempt<T> {
  return { ok: true, value };
}

export function failure(outcome: OutcomeName, message: string): { ok: false; outcome: OutcomeName; message: string } {
  return { ok: false, outcome, message };
}
