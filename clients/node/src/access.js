// Which service, and what lets in. No error repeats what may be a token.
import fs from 'node:fs';
import { HoneError } from './errors.js';
import { LIMITS } from './limits.js';

const TOKEN = /^[0-9a-f]{32}$/;
const PATHS = new Set(['/', '/agent/', '/api/v1', '/api/v1/']);
const wrong = text => new HoneError('invalid_argument', text);

// The service's origin.
export function originOf(url) {
  let parts;
  try {
    parts = new URL(url);
  } catch {
    throw wrong("the service's URL is malformed; give http(s)://HOST:PORT");
  }
  if (parts.username || parts.password || /[#?]/.test(url)) throw wrong("the service's URL has a part that may hold a token; give http(s)://HOST:PORT, and the token as token, tokenFile or HONE_TOKEN");
  if (!['http:', 'https:'].includes(parts.protocol) || !PATHS.has(parts.pathname)) throw wrong(`found ${url}, expected the service's URL, such as http://127.0.0.1:9190 or https://lab.example`);
  return parts.origin;
}

function checked(token, where) {
  if (typeof token === 'string' && TOKEN.test(token)) return token;
  throw wrong(`${where} holds no token, expected 32 hexadecimal digits, as hone tokens create prints them`);
}

function readStart(path) {
  const file = fs.openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(LIMITS.tokenFileBytesMax);
    return bytes.toString('latin1', 0, fs.readSync(file, bytes)).trim();
  } finally {
    fs.closeSync(file);
  }
}

function readToken(path) {
  try {
    return readStart(path);
  } catch (error) {
    throw new HoneError(error.code === 'ENOENT' ? 'not_found' : 'io_error', `${path}: ${error.code}; give the file that holds the token`, { cause: error });
  }
}

// `token`, else what `tokenFile` holds, else HONE_TOKEN.
export function findToken({ token, tokenFile }, environment = process.env) {
  if (token !== undefined) return checked(token, 'the option token');
  if (tokenFile !== undefined) return checked(readToken(tokenFile), tokenFile);
  if (environment.HONE_TOKEN) return checked(environment.HONE_TOKEN, 'HONE_TOKEN');
  throw new HoneError('unauthorized', 'there is no token; give token, tokenFile or HONE_TOKEN (hone tokens create makes one)');
}
