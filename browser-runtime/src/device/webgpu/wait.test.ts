import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GpuWait } from './wait.ts';

const poll_ms = 100;

// A queue that, like Firefox's, notices finished work on a poll or at the next submit.
class PollingQueue {
  submits = 0;
  #waiting: (() => void)[] = [];
  #next_poll_ms: number;

  // first_ms: when the first poll is due, since nobody knows at which moment of the period a page comes.
  constructor(readonly polls: boolean, first_ms = poll_ms) {
    this.#next_poll_ms = first_ms;
  }

  submit(): void {
    this.submits++;
    this.#notice();
  }

  onSubmittedWorkDone(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve);
      setTimeout(() => this.#notice(), this.polls ? this.#next_poll_ms : 0);
      this.#next_poll_ms = poll_ms;
    });
  }

  #notice(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

async function waitOn(queue: PollingQueue): Promise<{ wait: GpuWait; elapsed_ms: number }> {
  const wait = new GpuWait(queue as unknown as ConstructorParameters<typeof GpuWait>[0]);
  await wait.detectPolling();
  const started = performance.now();
  await wait.idle();
  wait.dispose();
  return { wait, elapsed_ms: performance.now() - started };
}

test('given a browser that polls every 100 ms, when waited, then it is found out and empty submits bring the wait far below a poll', async () => {
  const { wait, elapsed_ms } = await waitOn(new PollingQueue(true));
  assert.equal(wait.pumped, true);
  assert.ok(elapsed_ms < poll_ms / 2, `${elapsed_ms} ms`);
});

test('given a poll that is due when the browser is tried, when waited, then it is found out all the same', async () => {
  const { wait } = await waitOn(new PollingQueue(true, 5));
  assert.equal(wait.pumped, true);
});

test('given a browser that tells at once, when waited, then nothing is pumped', async () => {
  const queue = new PollingQueue(false), { wait } = await waitOn(queue);
  assert.equal(wait.pumped, false);
  assert.equal(queue.submits, 2);   // those of the trial
});

test('given work that fails while it is waited for, when pumped, then the failure reaches the caller', async () => {
  const queue = new PollingQueue(true), wait = new GpuWait(queue as unknown as ConstructorParameters<typeof GpuWait>[0]);
  await wait.detectPolling();
  await assert.rejects(wait.until(Promise.reject(new Error('lost'))), /lost/);
  wait.dispose();
});
