import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlBlock } from './control_block.ts';

test('given a launch of 10 iterations in ranges of 4, when two threads take them, then each iteration runs once, with its thread\'s arguments', () => {
  const leader = ControlBlock.make(1), helper = ControlBlock.of(leader.buffer);
  const seen = helper.epoch;
  helper.enter(1, seen);
  leader.post({ code: 7, args: 64, args_stride: 16, extent: 10, grain: 4 });
  assert.equal(helper.awaitLaunch(1, seen), 7);
  const ranges: number[][] = [];
  helper.takeRanges((args, begin, end) => {
    ranges.push([args, begin, end]);
    if (begin === 0) leader.takeRanges((args, begin, end) => ranges.push([args, begin, end]), 0);
  }, 1);
  helper.finish(1);
  leader.awaitHelpers();
  assert.deepEqual(ranges, [[80, 0, 4], [64, 4, 8], [64, 8, 10]]);
  assert.equal(leader.takeFault(), undefined);
});

test('given a helper whose code traps, when it says so, then the others find no more ranges and the leader reads its words, once', () => {
  const leader = ControlBlock.make(1), helper = ControlBlock.of(leader.buffer);
  helper.enter(1, helper.epoch);
  leader.post({ code: 1, args: 0, args_stride: 0, extent: 100, grain: 1 });
  assert.throws(() => helper.takeRanges(() => { throw new Error('unreachable'); }, 1), /unreachable/);
  helper.fail('unreachable');
  helper.fail('a later one');
  helper.finish(1);
  leader.takeRanges(() => assert.fail('there is nothing left'), 0);
  leader.awaitHelpers();
  assert.equal(leader.takeFault(), 'unreachable');
  assert.equal(leader.takeFault(), undefined);
});

test('given a fault that nobody read, because the leader trapped too, when the next launch is posted, then it has none', () => {
  const leader = ControlBlock.make(1);
  leader.fail('unreachable');
  leader.post({ code: 1, args: 0, args_stride: 0, extent: 1, grain: 1 });
  assert.equal(leader.takeFault(), undefined);
});

test('given helpers that are dismissed, when they look for a launch, then there is none', () => {
  const leader = ControlBlock.make(1), helper = ControlBlock.of(leader.buffer);
  const seen = helper.epoch;
  helper.enter(1, seen);
  leader.awaitPresence(seen);
  leader.dismiss();
  assert.equal(helper.awaitLaunch(1, seen), undefined);
});

test('given a helper that comes while a launch runs, when the leader ends it alone and posts another, then the helper takes part in that one', () => {
  const leader = ControlBlock.make(2), late = ControlBlock.of(leader.buffer);
  const called = leader.epoch, ranges: number[] = [];
  leader.post({ code: 1, args: 0, args_stride: 0, extent: 2, grain: 1 });
  late.enter(2, called);
  leader.takeRanges((_, begin) => ranges.push(begin), 0);
  leader.awaitHelpers();
  leader.post({ code: 5, args: 0, args_stride: 0, extent: 1, grain: 1 });
  assert.equal(late.awaitLaunch(2, called), 5);
  late.finish(2);
  leader.awaitHelpers();
  leader.dismiss();
  assert.equal(late.awaitLaunch(2, called), undefined);
  assert.deepEqual(ranges, [0, 1]);
});

test('given a helper that is about to leave, when the leader counts it in first, then it stays for that launch', () => {
  const leader = ControlBlock.make(1), helper = ControlBlock.of(leader.buffer);
  const called = leader.epoch;
  helper.enter(1, called);
  leader.dismiss();
  leader.post({ code: 9, args: 0, args_stride: 0, extent: 1, grain: 1 });
  assert.equal(helper.awaitLaunch(1, called), 9);
});
