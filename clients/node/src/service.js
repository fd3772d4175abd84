// Service: asks for operations. What extends it, generated/api.js, says which.
import { findToken, originOf } from './access.js';
import { check, parseJson } from './check.js';
import { BrokenReplyError, RefusedError } from './errors.js';
import { readEvents } from './events.js';
import { Exchange } from './exchange.js';
import { LIMITS } from './limits.js';

const isGiven = ([, value]) => value !== undefined && value !== null;

// Path and query. Lists of strings are arguments that come several times.
function targetOf(operation, asked) {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(asked[name])));
  const query = new URLSearchParams();
  for (const [name, value] of operation.query.map(one => [one, asked[one]]).filter(isGiven)) {
    if (operation.jsonQuery.includes(name)) query.append(name, JSON.stringify(value));
    else for (const word of [value].flat()) query.append(name, String(word));
  }
  return `/api/v1${path}${String(query) && `?${query}`}`;
}

// What stands neither in the path nor in the query; with a payload, as parts.
function bodyOf(operation, { payload, ...asked }) {
  if (!operation.hasBody) return {};
  const rest = Object.entries(asked).filter(([name]) => !operation.path.includes(`{${name}}`) && !operation.query.includes(name)).filter(isGiven);
  const text = JSON.stringify(Object.fromEntries(rest));
  if (payload === undefined) return { body: text, headers: { 'content-type': 'application/json' } };
  const form = new FormData();
  form.append('ask', new Blob([text], { type: 'application/json' }));
  form.append('payload', payload, 'payload');
  return { body: form };
}

async function refuseProblem(exchange) {
  if (exchange.status === 200) return;
  if (exchange.contentType !== 'application/json') throw new BrokenReplyError(`what answers there is no hone service, or a proxy before it: status ${exchange.status}`);
  const problem = check('Problem', parseJson(await exchange.readAll(), `the answer with status ${exchange.status}`), 'the refusal');
  throw new RefusedError(problem.code, problem.message, exchange.status);
}

function expectType(exchange, contentType) {
  if (exchange.contentType !== contentType) throw new BrokenReplyError(`the reply is ${exchange.contentType.slice(0, 64) || 'of no type'}, expected ${contentType}; is this a hone service?`);
}

// The events of one reply, as {name, data}. Its connection ends with `close`, or with the loop that reads it.
export class EventStream {
  #exchange;
  #events;

  constructor(exchange, kinds) {
    this.#exchange = exchange;
    this.#events = this.#read(kinds);
  }

  async *#read(kinds) {
    for await (const { name, data } of readEvents(this.#exchange.pieces())) {
      if (!Object.hasOwn(kinds, name)) continue;  // of a newer service
      const message = check(kinds[name], parseJson(data, `the event ${name}`), name);
      if (kinds[name] === 'Problem') throw new RefusedError(message.code, message.message);
      yield { name, data: message };
    }
  }

  async next() {
    try {
      return await this.#events.next();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  async return(value) {
    this.close();
    return { done: true, value };
  }

  close() {
    this.#exchange.end();
  }

  [Symbol.asyncIterator]() {
    return this;
  }
}

export class Service {
  #token;
  #replyTimeMs;
  #quietTimeMs;

  constructor(url, options = {}) {
    this.url = originOf(url);
    this.#token = findToken(options);
    this.#replyTimeMs = options.replyTimeMs ?? LIMITS.replyTimeMs;
    this.#quietTimeMs = options.quietTimeMs ?? LIMITS.quietTimeMs;
  }

  // A plain reply.
  async ask(operation, asked, options) {
    const exchange = await this.#send(operation, asked, options);
    try {
      return await this.#reply(exchange, operation);
    } finally {
      exchange.end();
    }
  }

  // A stream, or the plain reply that may come in its place.
  async open(operation, asked, options) {
    const exchange = await this.#send(operation, asked, options);
    try {
      if (operation.reply && exchange.contentType === 'application/json') return await this.#reply(exchange, operation);
      expectType(exchange, 'text/event-stream');
      exchange.allowSilence(this.#quietTimeMs);
      return new EventStream(exchange, operation.events);
    } catch (error) {
      exchange.end();
      throw error;
    }
  }

  async #reply(exchange, operation) {
    expectType(exchange, 'application/json');
    return check(operation.reply, parseJson(await exchange.readAll(), `the reply to ${operation.method} ${operation.path}`), operation.reply);
  }

  async #send(operation, asked, options = {}) {
    const sendTimeMs = (asked.payload?.size ?? 0) / LIMITS.sendBytesPerMsMin;
    const exchange = new Exchange(this.url, this.#replyTimeMs + sendTimeMs, options.signal);
    const { body, headers } = bodyOf(operation, asked);
    try {
      await exchange.send(targetOf(operation, asked), { method: operation.method, body, headers: { ...headers, authorization: `Bearer ${this.#token}` } });
      await refuseProblem(exchange);
      return exchange;
    } catch (error) {
      exchange.end();
      throw error;
    }
  }
}
