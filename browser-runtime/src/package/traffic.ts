// Traffic: the runs that are under way, for who wants to measure between them.
type WhenIdle = (then: () => void, options: { timeout: number }) => void;

const whenIdle = (globalThis as { requestIdleCallback?: WhenIdle }).requestIdleCallback;   // Safari has none
const calm_ms_max = 1_000;       // for a page that is never idle

export class Traffic {
  #asked = 0;
  #under_way = 0;
  #waiting: (() => void)[] = [];

  async count<T>(run: Promise<T>): Promise<T> {
    this.#asked++;
    this.#under_way++;
    try {
      return await run;
    } finally {
      if (--this.#under_way === 0) for (const done of this.#waiting.splice(0)) done();
    }
  }

  // Once no run is under way.
  async drained(): Promise<void> {
    if (this.#under_way > 0) await new Promise<void>(done => this.#waiting.push(done));
  }

  // Once no run is under way and the page has nothing to do.
  async calm(): Promise<void> {
    do {
      await this.drained();
      await new Promise<void>(done => (whenIdle === undefined ? setTimeout(done) : whenIdle(done, { timeout: calm_ms_max })));
    } while (this.#under_way > 0);
  }

  // valid: no run was asked for meanwhile.
  async time(work: () => Promise<unknown>): Promise<{ ms: number; valid: boolean }> {
    const asked = this.#asked, started = performance.now();
    await work();
    return { ms: performance.now() - started, valid: asked === this.#asked };
  }
}
