// clients/node/generated: the operations as a class and a table, and all types.

const HEAD = '// Generated from schema/openapi.json by clients/generate. Do not edit.\n';
const PLAIN = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', any: 'unknown' };
const indent = (text, spaces) => text.split('\n').map(line => ' '.repeat(spaces) + line).join('\n');

// A service that is newer than its client may say another word of an enumeration.
function typeText(type, enums) {
  if (type.kind === 'list') return `Array<${typeText(type.of, enums)}>`;
  if (type.kind === 'map') return `Record<string, ${typeText(type.of, enums)}>`;
  if (type.kind === 'name') return enums.has(type.name) ? `Open<${type.name}>` : type.name;
  return PLAIN[type.kind];
}

const comment = text => (text ? `/** ${text} */\n` : '');
const fieldText = (field, enums) => `${comment(field.text)}${field.name}${field.optional ? '?' : ''}: ${typeText(field.type, enums)};`;
const interfaceText = (name, text, fields, enums) => `/** ${text} */\nexport interface ${name} {\n${indent(fields.map(f => fieldText(f, enums)).join('\n'), 2)}\n}\n`;
const enumText = type => `/** ${type.text} */\nexport type ${type.name} = ${type.values.map(v => `'${v}'`).join(' | ')};\n`;

export function nodeTypes(types) {
  const enums = new Set(types.filter(t => t.values).map(t => t.name));
  const all = types.map(t => (t.values ? enumText(t) : interfaceText(t.name, t.text, t.fields, enums)));
  return `${HEAD}\n/** A word that is known here, or one of a newer service. */\nexport type Open<Words extends string> = Words | (string & {});\n\n${all.join('\n')}`.replace(/ \{\n\s*\n\}/g, ' {}');
}

const upper = id => id[0].toUpperCase() + id.slice(1);
const argumentsOf = o => [...o.variables, ...o.query, ...o.body];
const takesNothing = o => argumentsOf(o).length === 0;
const takesNothingNeeded = o => argumentsOf(o).every(field => field.optional);

function eventsText(operation, enums) {
  const union = operation.events.map(e => `{ name: '${e.name}'; data: ${typeText(e.type, enums)} }`).join('\n  | ');
  return `export type ${upper(operation.id)}Event =\n  | ${union};\n`;
}

function resultText(operation, enums) {
  const said = [...(operation.events ? [`EventStream<${upper(operation.id)}Event>`] : []), ...(operation.reply ? [typeText(operation.reply, enums)] : [])];
  return `Promise<${said.join(' | ')}>`;
}

function signature(operation, enums) {
  const given = takesNothing(operation) ? '_nothing?: {}' : `asked${takesNothingNeeded(operation) ? '?' : ''}: ${upper(operation.id)}Arguments`;
  return `/** ${operation.text} */\n${operation.id}(${given}, options?: CallOptions): ${resultText(operation, enums)};`;
}

// Of what is asked a word that is not known is a mistake.
function argumentsText(operation) {
  const payload = operation.hasPayload ? [{ name: 'payload', type: { kind: 'payload' }, text: 'Bytes, as the document says of them.', optional: true }] : [];
  const text = interfaceText(`${upper(operation.id)}Arguments`, `What ${operation.id} is asked.`, [...argumentsOf(operation), ...payload], new Set());
  return text.replace('payload?: undefined', 'payload?: Blob');
}

export function nodeApiTypes(types, operations) {
  const enums = new Set(types.filter(t => t.values).map(t => t.name));
  const parts = [
    `${HEAD}import type { CallOptions, EventStream, Service } from '../src/service.js';\nimport type { Open, ${types.map(t => t.name).join(', ')} } from './messages.js';\n`,
    ...operations.filter(o => !takesNothing(o)).map(argumentsText),
    ...operations.filter(o => o.events).map(o => eventsText(o, enums)),
    `/** Each operation of the service's REST interface. */\nexport class Api extends Service {\n${indent(operations.map(o => signature(o, enums)).join('\n'), 2)}\n}\n`,
  ];
  return parts.join('\n');
}

// A type as a word that src/check.js reads: string, integer, number, boolean, any, a message's name, [of], {of}.
function word(type, enums) {
  if (type.kind === 'list') return `[${word(type.of, enums)}]`;
  if (type.kind === 'map') return `{${word(type.of, enums)}}`;
  if (type.kind === 'name') return enums.has(type.name) ? 'string' : type.name;
  return type.kind;
}

export function nodeChecks(types) {
  const enums = new Set(types.filter(t => t.values).map(t => t.name));
  const rows = types.filter(t => t.fields).map(t => `  ${t.name}: ${literal(Object.fromEntries(t.fields.map(f => [f.name, word(f.type, enums) + (f.optional ? '?' : '')])))},`);
  return `${HEAD}// The type of each field of each message; with ? where it may be absent.\nexport const MESSAGES = {\n${rows.join('\n')}\n};\n`;
}

// As a person would write it.
function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object') return typeof value === 'string' ? `'${value}'` : `${value}`;
  const rows = Object.entries(value).filter(([, one]) => one !== undefined).map(([name, one]) => `${name}: ${literal(one)}`);
  return rows.length ? `{ ${rows.join(', ')} }` : '{}';
}

function tableEntry(operation) {
  const events = operation.events && Object.fromEntries(operation.events.map(e => [e.name, e.type.name]));
  return `  ${operation.id}: ${literal({ method: operation.method, path: operation.path, query: operation.query.map(p => p.name), jsonQuery: operation.query.filter(p => p.isJson).map(p => p.name),
    hasBody: operation.body.length > 0, reply: operation.reply?.name, events })},`;
}

export function nodeApi(operations) {
  const methods = operations.map(o => `  ${o.id}(asked = {}, options = {}) {\n    return this.${o.events ? 'open' : 'ask'}(OPERATIONS.${o.id}, asked, options);\n  }`);
  return `${HEAD}import { Service } from '../src/service.js';\n\nconst OPERATIONS = {\n${operations.map(tableEntry).join('\n')}\n};\n\nexport class Api extends Service {\n${methods.join('\n')}\n}\n`;
}
