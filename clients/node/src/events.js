// Server-sent events (HTML Living Standard, 9.2), as they come, and only so much of them at once.
import { BrokenReplyError } from './errors.js';
import { LIMITS } from './limits.js';

const mib = bytes => bytes / (1 << 20);

// A line until its end: bytes that grow by doubling, however small the pieces are in which they come.
class Line {
  #bytes = new Uint8Array(1 << 12);
  #length = 0;

  add(piece) {
    const length = this.#length + piece.length;
    if (length > LIMITS.eventBytesMax) throw new BrokenReplyError(`the service's stream has a line of more than ${mib(LIMITS.eventBytesMax)} MiB`);
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  take() {
    const end = this.#length > 0 && this.#bytes[this.#length - 1] === 13 ? this.#length - 1 : this.#length;
    this.#length = 0;
    return Buffer.from(this.#bytes.subarray(0, end));
  }
}

async function* linesOf(pieces) {
  const line = new Line();
  for await (const piece of pieces) {
    let begin = 0;
    for (let end; (end = piece.indexOf(10, begin)) >= 0; begin = end + 1) {
      line.add(piece.subarray(begin, end));
      yield line.take();
    }
    line.add(piece.subarray(begin));
  }
}

// An event until its empty line.
class Draft {
  name = '';
  data = [];
  #bytes = 0;

  add(line) {
    const colon = line.indexOf(58), key = (colon < 0 ? line : line.subarray(0, colon)).toString('latin1');
    const value = colon < 0 ? Buffer.alloc(0) : line.subarray(line[colon + 1] === 32 ? colon + 2 : colon + 1);
    if (key === 'event') this.name = value.toString('utf8');
    if (key !== 'data') return;
    this.#bytes += value.length + 1;
    if (this.#bytes > LIMITS.eventBytesMax) throw new BrokenReplyError(`an event of the service has more than ${mib(LIMITS.eventBytesMax)} MiB`);
    if (this.data.length) this.data.push(Buffer.from('\n'));
    this.data.push(value);
  }
}

// {name, data} of each event until the stream ends. One that is cut off by that is left out, as the standard says: whoever waits for a last event misses it.
export async function* readEvents(pieces) {
  let draft = new Draft();
  for await (const line of linesOf(pieces)) {
    if (line.length > 0) {
      draft.add(line);
      continue;
    }
    if (draft.data.length > 0) yield { name: draft.name, data: Buffer.concat(draft.data) };
    draft = new Draft();
  }
}
