// Exchange: one request and its response, as far as it is read. Ends with `end`, or by itself where nothing comes in time.
import { BrokenReplyError, HoneError, TimedOutError, UnreachableError } from './errors.js';
import { LIMITS } from './limits.js';

const NO_HTTP = /^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RESPONSE|UND_ERR_RES|Z_)/;
const NO_TRUST = /CERT|SIGNATURE|SELF_SIGNED|ISSUER/;

// What fetch throws, as an error of this package.
function told(error, origin) {
  if (error instanceof HoneError || error.name === 'AbortError') return error;
  const cause = error.cause ?? error, code = String(cause.code ?? '');
  if (NO_TRUST.test(code)) return new UnreachableError('bad_certificate', `${origin} does not show that it is the service: ${cause.message}; name its authority in NODE_EXTRA_CA_CERTS`, { cause: error });
  if (NO_HTTP.test(code)) return new BrokenReplyError(`${origin} answered with what is no HTTP: ${code}`, { cause: error });
  return new UnreachableError('io_error', `${origin}: ${String(cause.message || code).slice(0, 200)}; is the service running?`, { cause: error });
}

export class Exchange {
  #origin;
  #ending = new AbortController();
  #response;
  #reader;
  #until;
  #quietTimeMs;  // of each read, once a stream has begun

  constructor(origin, timeMs, signal) {
    this.#origin = origin;
    this.#until = performance.now() + timeMs;
    if (signal?.aborted) this.#ending.abort(signal.reason);
    signal?.addEventListener('abort', () => this.#ending.abort(signal.reason), { once: true, signal: this.#ending.signal });
  }

  // Sends all, and reads the response's head. A redirect is not followed: no other host is shown the token.
  async send(target, request) {
    this.#response = await this.#within(() => fetch(this.#origin + target, { ...request, redirect: 'manual', signal: this.#ending.signal }));
    this.#reader = this.#response.body?.getReader();
  }

  get status() {
    return this.#response.status;
  }

  get contentType() {
    return (this.#response.headers.get('content-type') ?? '').split(';')[0].trim().toLowerCase();
  }

  allowSilence(quietTimeMs) {
    this.#quietTimeMs = quietTimeMs;
  }

  // Waits no longer than may be waited.
  async #within(act) {
    const timeMs = this.#quietTimeMs ?? this.#until - performance.now();
    const timer = setTimeout(() => this.#ending.abort(new TimedOutError(`${this.#origin} did not answer in time`)), Math.max(timeMs, 0));
    try {
      return await act();
    } catch (error) {
      throw told(this.#ending.signal.aborted ? this.#ending.signal.reason ?? error : error, this.#origin);
    } finally {
      clearTimeout(timer);
    }
  }

  // The bytes as they come.
  async *pieces() {
    for (;;) {
      const { done, value } = this.#reader ? await this.#within(() => this.#reader.read()) : { done: true };
      if (done) return;
      yield value;
    }
  }

  async readAll() {
    const pieces = [];
    let bytes = 0;
    for await (const piece of this.pieces()) {
      bytes += piece.length;
      if (bytes > LIMITS.replyBytesMax) throw new BrokenReplyError(`${this.#origin} answered with more than ${LIMITS.replyBytesMax / (1 << 20)} MiB`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  end() {
    this.#ending.abort();
  }
}
