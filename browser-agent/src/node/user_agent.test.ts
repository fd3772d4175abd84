import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeBrowser } from '../../../browser-runtime/src/device/browser_name.ts';
import { processorOf, userAgentOf } from './user_agent.ts';

test('given a Node.js, when described, then name, major version and system are those of a fingerprint', () => {
  assert.deepEqual(describeBrowser(userAgentOf('v20.20.2', 'linux')), { browser: 'node', browser_major: 20, os: 'linux' });
  assert.deepEqual(describeBrowser(userAgentOf('v22.1.0', 'darwin')), { browser: 'node', browser_major: 22, os: 'macos' });
  assert.deepEqual(describeBrowser(userAgentOf('v18.0.0', 'win32')), { browser: 'node', browser_major: 18, os: 'windows' });
  assert.deepEqual(describeBrowser(userAgentOf('v18.0.0', 'aix')), { browser: 'node', browser_major: 18, os: 'unknown' });
});

test('given a processor, when described, then it has the parts of Chromium\'s name, and an unknown one its own', () => {
  assert.deepEqual(processorOf('x64'), { architecture: 'x86', bitness: '64' });
  assert.deepEqual(processorOf('arm64'), { architecture: 'arm', bitness: '64' });
  assert.deepEqual(processorOf('riscv64'), { architecture: 'riscv64', bitness: '' });
});
