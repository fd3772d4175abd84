import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tuneCommand } from './tune_command.ts';

const page = new URL('http://127.0.0.1:9190/agent/#token=ab&launch=secret&name=x');

test('given a page of any target, when its command is asked for, then it names the service with the token alone, and the target where it is not the usual one', () => {
  assert.equal(tuneCommand(page, 'ab', 'webgpu'), "hone tune MODEL.onnx --tracker 'http://127.0.0.1:9190/agent/#token=ab'");
  assert.equal(tuneCommand(page, 'ab', 'wasm'), "hone tune MODEL.onnx --tracker 'http://127.0.0.1:9190/agent/#token=ab' --target wasm");
  assert.equal(tuneCommand(page, 'ab', 'webgl'), "hone tune MODEL.onnx --tracker 'http://127.0.0.1:9190/agent/#token=ab' --target webgl");
});

test('given a service on the port that URLs leave out, when the command is asked for, then it says the port', () => {
  assert.equal(tuneCommand(new URL('http://lab/agent/'), 'ab', 'webgpu'), "hone tune MODEL.onnx --tracker 'http://lab:80/agent/#token=ab'");
});

test('given a token that a shell would read as more, when the command is asked for, then it stays one word', () => {
  assert.equal(tuneCommand(page, "a'; rm -rf b", 'webgpu'), "hone tune MODEL.onnx --tracker 'http://127.0.0.1:9190/agent/#token=a'\\''; rm -rf b'");
});

test('given a page with an agent\'s token, when the command is asked for, then it names a file with another one', () => {
  assert.equal(tuneCommand(new URL('http://127.0.0.1:9190/agent/'), '', 'wasm'), "hone tune MODEL.onnx --tracker 'http://127.0.0.1:9190/agent/' --token-file FILE --target wasm");
});
