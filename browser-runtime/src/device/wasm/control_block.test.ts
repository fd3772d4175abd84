import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlBlock } from './control_block.ts';

test('given a launch of 10 iterations in ranges of 4, when two threads take them, then each iteration runs once, with its thread\'s arguments', () => {
  const leader = ControlBlock.make(1), helper = ControlBlock.of(leader.buffer);
  const seen = helper.epoch;
  leader.post({ code: 7, args: 64, args_stride: 16, extent: 10, grain: 4 });
  assert.equal(helper.joinLaunch(seen), 7);
  const ranges: number[][] = [];
  helper.takeRanges((args, begin, end) => {
    ranges.push([args, begin, end]);
    if (begin === 0) leader.takeRanges((args, begin, end) => ranges.push([args, begin, end]), 0);
  }, 1);
  helper.leaveLaunch();
  leader.closeGate();
  assert.deepEqual(ranges, [[80, 0, 4], [64, 4, 8], [64, 8, 10]]);
  assert.equal(leader.takeFault(), undefined);
});

test('given a helper whose code traps, when it says so, then the others find no more ranges and the leader reads its words, once', () => {
  const leader = ControlBlock.make(1), helper = ControlBlock.of(leader.buffer);
  const seen = helper.epoch;
  leader.post({ code: 1, args: 0, args_stride: 0, extent: 100, grain: 1 });
  assert.equal(helper.joinLaunch(seen), 1);
  assert.throws(() => helper.takeRanges(() => { throw new Error('unreachable'); }, 1), /unreachable/);
  helper.fail('unreachable');
  helper.fail('a later one');
  helper.leaveLaunch();
  leader.takeRanges(() => assert.fail('there is nothing left'), 0);
  leader.closeGate();
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
  const leader = ControlBlock.make(1), helper = ControlBlock.of(leader.buffer), seen = helper.epoch;
  helper.enter(1, seen);
  leader.awaitPresence(seen);
  leader.dismiss();
  assert.equal(helper.joinLaunch(seen), undefined);
});

test('given a helper that comes when a launch is over, when the leader posts another, then the helper joins that one', () => {
  const leader = ControlBlock.make(2), late = ControlBlock.of(leader.buffer), called = leader.epoch, ranges: number[] = [];
  leader.post({ code: 1, args: 0, args_stride: 0, extent: 2, grain: 1 });
  leader.takeRanges((_, begin) => ranges.push(begin), 0);
  leader.closeGate();
  assert.deepEqual(ranges, [0, 1]);
  leader.post({ code: 5, args: 0, args_stride: 0, extent: 1, grain: 1 });
  assert.equal(late.joinLaunch(called), 5);
  late.leaveLaunch();
  leader.closeGate();
  leader.dismiss();
  assert.equal(late.joinLaunch(late.epoch - 1), undefined);
});

test('given a helper that comes in the middle of a launch, when there are ranges left, then it takes them', () => {
  const leader = ControlBlock.make(1), late = ControlBlock.of(leader.buffer), called = leader.epoch, threads: number[] = [];
  leader.post({ code: 1, args: 0, args_stride: 1, extent: 3, grain: 1 });
  leader.takeRanges(() => {
    threads.push(0);
    if (threads.length > 1) return;
    assert.equal(late.joinLaunch(called), 1);
    late.takeRanges(args => threads.push(args), 1);
    late.leaveLaunch();
  }, 0);
  leader.closeGate();
  assert.deepEqual(threads, [0, 1, 1]);
});
