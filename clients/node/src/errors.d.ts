import type { Open, Outcome } from '../generated/messages.js';

/** All that this package throws; itself where an argument is wrong. `code` is one of hone's. */
export class HoneError extends Error {
  readonly code: Open<Outcome>;
}
/** The service refused. */
export class RefusedError extends HoneError {
  /** That of HTTP; 0 where a stream ended with the refusal. */
  readonly status: number;
}
/** A job ended otherwise than well. What it recorded until then is kept. */
export class JobError extends HoneError {
  readonly job: string;
}
/** There is no connection, or it ended: `io_error`; or the service does not show who it is: `bad_certificate`. */
export class UnreachableError extends HoneError {}
/** Nothing came in time: `timeout`. */
export class TimedOutError extends HoneError {}
/** What came is no answer of a hone service, or more than is taken of one: `protocol_error`. */
export class BrokenReplyError extends HoneError {}
