// Where the service is, and which token is shown.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { findToken, originOf } from '../src/access.js';

const [FIRST, SECOND, THIRD] = ['0', '1', '2'].map(digit => digit.repeat(32));

test('given a token as option, in a file and in the environment, then the option counts, else the file, else the environment; without any, the error says how to give one', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hone_client_')), file = path.join(folder, 'token');
  try {
    fs.writeFileSync(file, `${SECOND}\n`);
    assert.equal(findToken({ token: FIRST, tokenFile: file }, { HONE_TOKEN: THIRD }), FIRST);
    assert.equal(findToken({ tokenFile: file }, { HONE_TOKEN: THIRD }), SECOND);
    assert.equal(findToken({}, { HONE_TOKEN: THIRD }), THIRD);
    fs.writeFileSync(file, 'no token\n');
    for (const [tokenFile, code] of [[file, 'invalid_argument'], [path.join(folder, 'none'), 'not_found'], [folder, 'io_error']]) assert.throws(() => findToken({ tokenFile }), { code });
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  assert.throws(() => findToken({}, {}), { code: 'unauthorized', message: /HONE_TOKEN/ });
});

test('given what is no token, then the error does not say it: it may be one with a digit too many', () => {
  assert.throws(() => findToken({ token: `${FIRST}a` }), error => error.code === 'invalid_argument' && !error.message.includes(FIRST));
});

test('given URLs of services, then the origin is theirs; given others, they are refused, and a token in one is not repeated', () => {
  for (const [url, origin] of [['http://127.0.0.1:9190', 'http://127.0.0.1:9190'], ['http://127.0.0.1:9190/agent/', 'http://127.0.0.1:9190'], ['https://lab.example/', 'https://lab.example']]) assert.equal(originOf(url), origin);
  for (const url of ['', 'lab.example', 'ftp://lab', 'http://', 'http://lab:99999', 'http://lab/other', `http://lab/agent/#token=${SECOND}`, `http://lab/?token=${SECOND}`, `http://user:${SECOND}@lab/`])
    assert.throws(() => originOf(url), error => error.code === 'invalid_argument' && !error.message.includes(SECOND), url);
});
