export { Client, type CompareOptions, type FleetEvent, type Input, type JobAsked, type RecordsAsked, type RunOptions, type TuneOptions } from './src/client.js';
export { BrokenReplyError, HoneError, JobError, RefusedError, TimedOutError, UnreachableError } from './src/errors.js';
export { Job, type Output } from './src/job.js';
export { EventStream, type CallOptions, type ClientOptions } from './src/service.js';
export type * from './generated/messages.js';
