// Asks a hone service for devices, jobs, records and events. docs/clients.md of hone is the reference.
export { Client } from './src/client.js';
export { BrokenReplyError, HoneError, JobError, RefusedError, TimedOutError, UnreachableError } from './src/errors.js';
export { Job } from './src/job.js';
export { EventStream } from './src/service.js';
