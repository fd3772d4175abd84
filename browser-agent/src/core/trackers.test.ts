import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Trackers } from './trackers.ts';

test('each tracker is tried in turn', () => {
  // Given an agent of one page and a tracker that tells of three, when each fails, then they follow each other, and the first comes again.
  const trackers = new Trackers('http://a:1');
  trackers.failed();
  assert.equal(trackers.current, 'http://a:1');
  trackers.know(['http://a:1', 'http://b:2', 'nonsense', 'http://c:3']);
  const tried: string[] = [];
  for (let i = 0; i < 4; i++) {
    trackers.failed();
    tried.push(trackers.current);
  }
  assert.deepEqual(tried, ['http://b:2', 'http://c:3', 'http://a:1', 'http://b:2']);
});

test('an agent goes where it is sent', () => {
  // Given a tracker that names who has the farm, when its connection ends, then the named one is next, and when that fails, the others; what is no origin sends nowhere.
  const trackers = new Trackers('http://a:1');
  trackers.know(['http://b:2']);
  trackers.failed();
  trackers.goTo('http://z:9');
  assert.equal(trackers.current, 'http://z:9');
  trackers.failed();
  assert.equal(trackers.current, 'http://a:1');
  trackers.goTo('javascript:alert(1)');
  assert.equal(trackers.current, 'http://a:1');
});
