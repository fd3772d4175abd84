// Job: one that is listened to. Iterating gives its progress until it ends; then `result` is there.
import { BrokenReplyError, JobError } from './errors.js';
import { LIMITS } from './limits.js';

const ELEMENT_BYTES = { bool: 1, i8: 1, u8: 1, i16: 2, u16: 2, f16: 2, i32: 4, u32: 4, f32: 4, i64: 8, u64: 8, f64: 8 };
const isBase64 = text => text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ''));
const isExtent = extent => Number.isSafeInteger(extent) && extent >= 0;

// What a run computed, as it comes: pieces in order, in base64.
class Pieces {
  #pieces = [];
  #bytes = 0;

  add({ offset, base64 }) {
    if (offset !== this.#bytes) throw new BrokenReplyError(`a piece of the job's outputs begins at ${offset}, expected ${this.#bytes}`);
    if (!isBase64(base64)) throw new BrokenReplyError("a piece of the job's outputs is no base64");
    this.#pieces.push(Buffer.from(base64, 'base64'));
    this.#bytes += this.#pieces.at(-1).length;
    if (this.#bytes > LIMITS.payloadBytesMax) throw new BrokenReplyError(`the job's outputs have more than ${LIMITS.payloadBytesMax / (1 << 20)} MiB`);
  }

  whole() {
    return Buffer.concat(this.#pieces);
  }
}

function sizeOf(said) {
  const isSound = typeof said?.name === 'string' && Object.hasOwn(ELEMENT_BYTES, said.dtype) && Array.isArray(said.shape) && said.shape.every(isExtent);
  if (!isSound) throw new BrokenReplyError("the run's outputs are not described as they should be");
  return said.shape.reduce((product, extent) => product * extent, ELEMENT_BYTES[said.dtype]);
}

function outputsOf(result, payload) {
  const said = result.outputs ?? [];
  const sizes = Array.isArray(said) ? said.map(sizeOf) : [NaN];
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes !== payload.length) throw new BrokenReplyError(`the run's outputs have ${bytes} bytes, ${payload.length} came`);
  let begin = 0;
  // Each in a buffer of its own, so that any typed array fits over it.
  return said.map(({ name, dtype, shape }, index) => ({ name, dtype, shape, data: Uint8Array.prototype.slice.call(payload, begin, (begin += sizes[index])) }));
}

export class Job {
  #stream;
  #pieces = new Pieces();
  #result;

  constructor(id, stream) {
    this.id = id;
    this.#stream = stream;
  }

  // From a stream that begins with job_accepted.
  static async of(stream) {
    const { value } = await stream.next();
    if (value?.name === 'job_accepted') return new Job(value.data.job, stream);
    stream.close();
    throw new BrokenReplyError('the service did not say which job it is');
  }

  async next() {
    try {
      return this.#result ? { done: true, value: undefined } : await this.#advance();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async #advance() {
    for (let said; !(said = await this.#stream.next()).done;) {
      const { name, data } = said.value;
      if (name === 'job_progress') return { done: false, value: data };
      if (name === 'payload') this.#pieces.add(data);
      if (name === 'job_failed') throw new JobError(data.code, data.message, this.id);
      if (name === 'job_done') return this.#done(data.result);
    }
    throw new BrokenReplyError(`the service ended the stream of ${this.id} before the job's end; follow it again, where it was detached`);
  }

  #done(result) {
    if (typeof result !== 'object' || result === null || Array.isArray(result)) throw new BrokenReplyError(`the result of ${this.id} is no object`);
    this.#result = result;
    this.close();
    return { done: true, value: undefined };
  }

  async return(value) {
    this.close();
    return { done: true, value };
  }

  async wait() {
    while (!(await this.next()).done) continue;
    return this.result;
  }

  get result() {
    if (!this.#result) throw new Error(`${this.id} has not ended; iterate over it, or await wait()`);
    return this.#result;
  }

  outputs() {
    return outputsOf(this.result, this.#pieces.whole());
  }

  close() {
    this.#stream.close();
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}
