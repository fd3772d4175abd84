// EventTurn: kernels run in one go with the worker's own code, so no message would come in between: the page's visibility, for one. A turn
// of the event loop lets them in; unlike a timer's it is never delayed.
export class EventTurn {
  readonly #channel = new MessageChannel();
  #wake: () => void = () => {};

  constructor() {
    this.#channel.port1.onmessage = () => this.#wake();
  }

  take(): Promise<void> {
    return new Promise(done => {
      this.#wake = done;
      this.#channel.port2.postMessage(0);
    });
  }

  dispose(): void {
    this.#channel.port1.close();
  }
}
