// The verdict on a candidate's output, as a device compared it with the reference.
import type { Attempt } from './outcome.ts';
import { failure, success } from './outcome.ts';
import type { Result } from './result.ts';
import type { Comparison } from '../device/backend.ts';

const error_max = 1e30;               // JSON knows no infinity

// The result tells the error. A failed check is its own verdict.
export function judge<C extends Comparison>(checked: Attempt<C>, tolerance: number, result: Result): Attempt<C> {
  if (!checked.ok) return checked;
  const { max_error, unwritten, finding } = checked.value;
  result.max_error = Math.min(max_error, error_max);
  if (unwritten > 0) return failure('not_written', `${unwritten} elements of the output were never written`);
  if (max_error <= tolerance) return success(checked.value);
  return failure('wrong_output', `the error is ${max_error.toExponential(2)} of its scale, above ${tolerance.toExponential(2)}: ${finding}`);
}

// The verdict behind the timed runs of a candidate whose output was right before them.
export function judgeAgain(checked: Attempt<Comparison>, tolerance: number, result: Result): Attempt<Comparison> {
  const before = result.max_error, verdict = judge(checked, tolerance, result);
  if (verdict.ok) result.max_error = Math.max(before, result.max_error);
  if (verdict.ok || !isOfTheOutput(verdict)) return verdict;
  return failure(verdict.outcome, `the output was right before the timed runs and is wrong after them: ${verdict.message}`);
}

function isOfTheOutput({ outcome }: ReturnType<typeof failure>): boolean {
  return outcome === 'wrong_output' || outcome === 'not_written';
}
