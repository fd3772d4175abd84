// What the service says is checked here, once: behind it each field has its type. Fields that are not known here are of a newer service.
import { MESSAGES } from '../generated/checks.js';
import { BrokenReplyError } from './errors.js';

const PLAIN = {
  any: () => true,
  string: value => typeof value === 'string',
  boolean: value => typeof value === 'boolean',
  number: value => Number.isFinite(value),
  integer: value => Number.isSafeInteger(value),
};

const nameOf = value => (value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value);
const refuse = (where, expected, found) => new BrokenReplyError(`${where} is ${found}, expected ${expected}; the service may be of another version than this client`);
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);

function checkMessage(name, value, where) {
  if (!isObject(value)) throw refuse(where, 'an object', nameOf(value));
  for (const [field, word] of Object.entries(MESSAGES[name])) {
    const isThere = Object.hasOwn(value, field);
    if (isThere) check(word.replace('?', ''), value[field], `${where}.${field}`);
    else if (!word.endsWith('?')) throw refuse(`${where}.${field}`, 'something', 'missing');
  }
}

function checkList(of, value, where) {
  if (!Array.isArray(value)) throw refuse(where, 'a list', nameOf(value));
  value.forEach((one, index) => check(of, one, `${where}[${index}]`));
}

function checkMap(of, value, where) {
  if (!isObject(value)) throw refuse(where, 'an object', nameOf(value));
  for (const [key, one] of Object.entries(value)) check(of, one, `${where}.${key.slice(0, 64)}`);
}

// `word` is a type as generated/checks.js writes it. Returns the value.
export function check(word, value, where) {
  if (word.startsWith('[')) checkList(word.slice(1, -1), value, where);
  else if (word.startsWith('{')) checkMap(word.slice(1, -1), value, where);
  else if (!(word in PLAIN)) checkMessage(word, value, where);
  else if (!PLAIN[word](value)) throw refuse(where, word, nameOf(value));
  return value;
}

export function parseJson(bytes, what) {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new BrokenReplyError(`${what} is no JSON: ${error.message.slice(0, 200)}`, { cause: error });
  }
}
