import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insecurePageAdvice } from './insecure_page.ts';

const url = new URL('http://192.168.1.5:9190/agent/');

test('given a page of plain http, when a browser and its system are told what to do, then it is what is possible there, and WebAssembly is a choice', () => {
  const android = insecurePageAdvice('Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/156 Mobile', url);
  assert.match(android, /adb reverse tcp:9190 tcp:9190/);
  assert.match(android, /http:\/\/localhost:9190/);
  const ios = insecurePageAdvice('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605', url);
  assert.match(ios, /Certificate Trust Settings/);
  assert.doesNotMatch(ios, /adb/);
  assert.match(insecurePageAdvice('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', url), /Firefox trusts/);
  for (const browser of ['Chrome/156 (X11; Linux x86_64)', '']) {
    assert.match(insecurePageAdvice(browser, url), /hone tls init.*target=wasm/);
    assert.match(insecurePageAdvice(browser, new URL('http://lab/agent/')), /http:\/\/localhost:80\/agent\//);
  }
});
