// clients/python/hone_client/generated: a frozen dataclass of each message, and the operations.

const HEAD = '# Generated from schema/openapi.json by clients/generate. Do not edit.\n';
const PLAIN = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', any: 'Any' };
const KEYWORDS = new Set(['and', 'as', 'assert', 'async', 'await', 'break', 'class', 'def', 'del', 'elif', 'else', 'except', 'for', 'from', 'global', 'if', 'import', 'in', 'is', 'lambda', 'not', 'or',
  'pass', 'raise', 'return', 'try', 'while', 'with', 'yield', 'None', 'True', 'False']);
const quoted = text => JSON.stringify(text);
const docstring = text => `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''")}"""`;

// A service that is newer than its client may say another word of an enumeration.
function typeText(type, enums) {
  if (type.kind === 'list') return `list[${typeText(type.of, enums)}]`;
  if (type.kind === 'map') return `dict[str, ${typeText(type.of, enums)}]`;
  if (type.kind === 'name') return enums.has(type.name) ? `${type.name} | str` : type.name;
  return PLAIN[type.kind];
}

function fieldText(field, enums) {
  if (KEYWORDS.has(field.name)) throw new Error(`${field.name} is a keyword of Python`);
  const type = typeText(field.type, enums);
  const definition = `    ${field.name}: ${field.optional ? `${type} | None = None` : type}`;
  return field.text ? `${definition}\n    ${docstring(field.text)}` : definition;
}

function typeDefinition(type, enums) {
  if (type.values) return `${type.name} = Literal[${type.values.map(quoted).join(', ')}]\n${docstring(type.text)}`;
  return [`@dataclass(frozen=True)\nclass ${type.name}:\n    ${docstring(type.text)}`, ...type.fields.map(f => fieldText(f, enums))].join('\n');
}

export function pythonMessages(types) {
  const enums = new Set(types.filter(t => t.values).map(t => t.name));
  const imports = 'from __future__ import annotations\n\nfrom dataclasses import dataclass\nfrom typing import Any, Literal\n';
  return `${HEAD}"""What the service says and is told."""\n${imports}\n${types.map(t => typeDefinition(t, enums)).join('\n\n')}\n`;
}

const constant = id => id.replace(/([A-Z])/g, '_$1').toUpperCase();
const names = list => `(${list.map(quoted).join(', ')}${list.length === 1 ? ',' : ''})`;

function operationText(operation) {
  const reply = operation.reply?.name;
  const said = [quoted(operation.method), quoted(operation.path),
    ...(operation.query.length ? [`query=${names(operation.query.map(p => p.name))}`] : []),
    ...(operation.query.some(p => p.isJson) ? [`json_query=${names(operation.query.filter(p => p.isJson).map(p => p.name))}`] : []),
    ...(operation.body.length ? ['has_body=True'] : []),
    ...(reply ? [`reply=messages.${reply}`] : ['reply=type(None)']),
    ...(operation.events ? [`events={${operation.events.map(e => `${quoted(e.name)}: messages.${e.type.name}`).join(', ')}}`] : [])];
  return `${constant(operation.id)}: Operation[${reply ? `messages.${reply}` : 'None'}] = Operation(${said.join(', ')})\n${docstring(operation.text)}`;
}

export function pythonOperations(operations) {
  return `${HEAD}"""Each operation of the service's REST interface."""\nfrom hone_client.generated import messages\nfrom hone_client.operation import Operation\n\n${operations.map(operationText).join('\n\n')}\n`;
}

export function pythonColumns(record) {
  const columns = Object.keys(record.properties).map(name => `    ${quoted(name)},`).join('\n');
  return `${HEAD.replace('openapi.json', 'cli/record.json')}"""The keys of an attempt among the records."""\n\nATTEMPT_COLUMNS = (\n${columns}\n)\n`;
}
