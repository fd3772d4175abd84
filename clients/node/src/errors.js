// What may go wrong. Each has a code of hone's (docs/protocol.md, "Errors and outcomes") and one sentence.

// All that this package throws; itself where an argument is wrong.
export class HoneError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

// The service refused. `status` is that of HTTP; 0 where a stream ended with the refusal.
export class RefusedError extends HoneError {
  constructor(code, message, status = 0) {
    super(code, message);
    this.status = status;
  }
}

// A job ended otherwise than well. What it recorded until then is kept.
export class JobError extends HoneError {
  constructor(code, message, job) {
    super(code, message);
    this.job = job;
  }
}

// There is no connection, or it ended: io_error; or the service does not show who it is: bad_certificate.
export class UnreachableError extends HoneError {}

// Nothing came in time.
export class TimedOutError extends HoneError {
  constructor(message) {
    super('timeout', message);
  }
}

// What came is no answer of a hone service, or more than is taken of one.
export class BrokenReplyError extends HoneError {
  constructor(message, options) {
    super('protocol_error', message, options);
  }
}
