import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlBlock } from './control_block.ts';

test('given a launch of 10 iterations in ranges of 4, when two threads take them, then each iteration runs once, with its thread\'s arguments', () => {
  const leader = new ControlBlock(), helper = new ControlBlock(leader.buffer);
  const seen = helper.epoch;
  leader.post({ code: 7, args: 64, args_stride: 16, extent: 10, grain: 4 }, 1);
  assert.equal(helper.awaitLaunch(seen), 7);
  const ranges: number[][] = [];
  helper.takeRanges((args, begin, end) => {
    ranges.push([args, begin, end]);
    if (begin === 0) leader.takeRanges((args, begin, end) => ranges.push([args, begin, end]), 0);
  }, 1);
  helper.finish();
  leader.awaitHelpers();
  assert.deepEqual(ranges, [[80, 0, 4], [64, 4, 8], [64, 8, 10]]);
  assert.equal(leader.takeFault(), undefined);
});

test('given a helper whose code traps, when it says so, then the others find no more ranges and the leader reads its words, once', () => {
  const leader = new ControlBlock(), helper = new ControlBlock(leader.buffer);
  leader.post({ code: 1, args: 0, args_stride: 0, extent: 100, grain: 1 }, 1);
  assert.throws(() => helper.takeRanges(() => { throw new Error('unreachable'); }, 1), /unreachable/);
  helper.fail('unreachable');
  helper.fail('a later one');
  helper.finish();
  leader.takeRanges(() => assert.fail('there is nothing left'), 0);
  leader.awaitHelpers();
  assert.equal(leader.takeFault(), 'unreachable');
  assert.equal(leader.takeFault(), undefined);
});

test('given a fault that nobody read, because the leader trapped too, when the next launch is posted, then it has none', () => {
  const leader = new ControlBlock();
  leader.fail('unreachable');
  leader.post({ code: 1, args: 0, args_stride: 0, extent: 1, grain: 1 }, 0);
  assert.equal(leader.takeFault(), undefined);
});

test('given helpers that are dismissed, when they look for a launch, then there is none', () => {
  const leader = new ControlBlock(), helper = new ControlBlock(leader.buffer);
  leader.expectHelpers();
  helper.enter();
  leader.awaitPresence(1);
  const seen = helper.epoch;
  leader.dismiss();
  assert.equal(helper.awaitLaunch(seen), undefined);
});
