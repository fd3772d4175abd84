import type { JobProgress } from '../generated/messages.js';

/** Elements, row-major and little-endian, in a buffer of their own: `new Float32Array(output.data.buffer)`. */
export interface Output {
  name: string;
  /** f32, i64, … */
  dtype: string;
  shape: number[];
  data: Uint8Array;
}

/**
 * A job that is listened to: iterating gives its progress until it ends, and throws a JobError where that is otherwise than well. One that `start` began ends with its connection: with
 * `close`, or where its loop is left early. One that is only followed goes on.
 */
export class Job implements AsyncIterableIterator<JobProgress> {
  readonly id: string;
  next(): Promise<IteratorResult<JobProgress, undefined>>;
  return(value?: undefined): Promise<IteratorResult<JobProgress, undefined>>;
  /** The result, once the job has ended well; of a form that its kind tells (schema/cli of hone). */
  wait(): Promise<Record<string, any>>;
  readonly result: Record<string, any>;
  /** Of a run that has ended. */
  outputs(): Output[];
  close(): void;
  [Symbol.asyncIterator](): this;
}
