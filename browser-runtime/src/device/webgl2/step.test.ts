// Draws of a launch, on a context that only notes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawAll, settle, settleInTurns, type Step } from './step.ts';

interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

class NotedDraws {
  readonly SCISSOR_TEST = 1;
  readonly TRIANGLES = 2;
  readonly FRAMEBUFFER = 3;
  readonly drawn: Rectangle[] = [];
  #scissor: Rectangle | undefined;
  #scissored = false;

  constructor(private readonly whole: Rectangle) {}

  useProgram(): void { /* any */ }
  viewport(): void { /* whole */ }
  bindFramebuffer(): void { /* any */ }
  flush(): void { /* at once */ }
  enable(): void { this.#scissored = true; }
  disable(): void { this.#scissored = false; }
  scissor(x: number, y: number, width: number, height: number): void { this.#scissor = { x, y, width, height }; }
  drawArrays(): void { this.drawn.push(this.#scissored && this.#scissor ? this.#scissor : this.whole); }
}

function stepOf(width: number, height: number): { gl: NotedDraws; step: Step } {
  const step = { program: {}, inputs: [], first_target: { waitFor: () => { /* at once */ } }, framebuffers: [{}, {}], grid: [width, height], bands: 1 };
  return { gl: new NotedDraws({ x: 0, y: 0, width, height }), step: step as unknown as Step };
}

// How often each fragment was drawn.
function coverage(drawn: readonly Rectangle[], width: number, height: number): number[] {
  const times = new Array<number>(width * height).fill(0);
  for (const r of drawn)
    for (let y = r.y; y < Math.min(height, r.y + r.height); y++)
      for (let x = r.x; x < Math.min(width, r.x + r.width); x++) times[y * width + x]! += 1;
  return times;
}

test('given draws that take longer than a band may, when they are settled and drawn, then bands along the longer side cover each fragment once', () => {
  for (const [width, height] of [[7, 100], [130, 9], [1, 70], [64, 64]] as const) {
    const { gl, step } = stepOf(width, height);
    settle(gl as unknown as WebGL2RenderingContext, [step], 1e-9);
    assert.ok(step.bands > 1 && step.bands <= Math.max(width, height));
    gl.drawn.length = 0;
    drawAll(gl as unknown as WebGL2RenderingContext, [step], 1);
    assert.ok(gl.drawn.length > 1);
    assert.deepEqual(new Set(coverage(gl.drawn, width, height)), new Set([1]), `${width}×${height}`);
  }
});

test('given a quick draw, when it is settled, then it stays whole, and only a fragment and a small part of it were drawn', () => {
  const { gl, step } = stepOf(128, 64);
  settle(gl as unknown as WebGL2RenderingContext, [step]);
  assert.equal(step.bands, 1);
  assert.deepEqual(gl.drawn, [{ x: 0, y: 0, width: 1, height: 1 }, { x: 0, y: 0, width: 2, height: 64 }]);
});

test('given quick draws, when they are settled in turns, then all together are waited for twice, and stay whole', async () => {
  const { gl, step } = stepOf(128, 64), other = stepOf(128, 64).step;
  let waits = 0;
  await settleInTurns(gl as unknown as WebGL2RenderingContext, [step, other], async () => { waits++; }, Infinity);
  assert.deepEqual([waits, step.bands, other.bands, gl.drawn.length], [2, 1, 1, 4]);
});

test('given draws that take longer than a band may, when they are settled in turns, then each gets bands of its own', async () => {
  const { gl, step } = stepOf(128, 64), other = stepOf(128, 64).step;
  let waits = 0;
  await settleInTurns(gl as unknown as WebGL2RenderingContext, [step, other], async () => { waits++; }, 1e-9);
  assert.equal(waits, 4);
  assert.ok(step.bands > 1 && other.bands > 1);
});
