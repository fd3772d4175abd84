// Gate: who comes while it is open goes through at once; while it is shut they wait, and then go through in the order in which they came.
export class Gate {
  #last: Promise<unknown> | undefined;     // of those that wait, or of what shut it

  // start begins what it gives back, and does not wait for it.
  pass<T>(start: () => Promise<T>): Promise<T> {
    if (this.#last === undefined) return start();
    return this.#behind(this.#last.then(() => ({ begun: start() }))).then(({ begun }) => begun);
  }

  // Shut while the work, which begins when all who wait are through, goes on. What it throws is its caller's alone.
  shutWhile(work: () => Promise<void>): Promise<void> {
    return this.#behind((this.#last ?? Promise.resolve()).then(work));
  }

  #behind<T>(next: Promise<T>): Promise<T> {
    const settled: Promise<unknown> = next.catch(() => {}).then(() => { if (this.#last === settled) this.#last = undefined; });
    this.#last = settled;
    return next;
  }
}
