// EventTurn: back to the event loop and on at once. Contexts update queries, fences and compilations only between events, and messages come in
// only there: the page's visibility, for one. Unlike a timer's it is never delayed.
export class EventTurn {
  readonly #channel = new MessageChannel();
  readonly #waiting: (() => void)[] = [];

  constructor() {
    this.#channel.port1.onmessage = () => this.#waiting.shift()?.();
  }

  take(): Promise<void> {
    return new Promise(done => {
      this.#waiting.push(done);
      this.#channel.port2.postMessage(0);
    });
  }

  // Who waits has its turn now.
  dispose(): void {
    this.#channel.port1.close();
    for (const done of this.#waiting.splice(0)) done();
  }
}

// One turn, now and then.
export async function eventTurn(): Promise<void> {
  const turn = new EventTurn();
  await turn.take();
  turn.dispose();
}
