// FleetEvents: what happens to devices and jobs, from when it is there. The service ends no such stream while it runs, so that its end is an error.
import { BrokenReplyError } from './errors.js';

export class FleetEvents {
  #stream;

  constructor(stream) {
    this.#stream = stream;
  }

  // From a stream that begins with fleet_watched.
  static async of(stream) {
    const { value } = await stream.next();
    if (value?.name === 'fleet_watched') return new FleetEvents(stream);
    stream.close();
    throw new BrokenReplyError('the service did not say that it tells what happens');
  }

  async next() {
    const said = await this.#stream.next();
    if (said.done) throw new BrokenReplyError('the service ended its events; ask for the lists, and listen anew');
    return said;
  }

  async return(value) {
    this.close();
    return { done: true, value };
  }

  close() {
    this.#stream.close();
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}
