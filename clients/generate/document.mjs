// What schema/openapi.json says, in the form that both printers read: types with their fields, and operations.

const nameOf = ref => ref.split('/').at(-1);

// The kinds of a printed type: { kind: 'name', name } of a schema of the document; string, integer, number, boolean, any; { kind: 'list' | 'map', of }.
export function typeOf(schema) {
  if (schema.$ref) return { kind: 'name', name: nameOf(schema.$ref) };
  if (schema.type === 'array') return { kind: 'list', of: typeOf(schema.items) };
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') return { kind: 'map', of: typeOf(schema.additionalProperties) };
  if (schema.type === 'object' && !schema.properties) return { kind: 'map', of: { kind: 'any' } };
  return { kind: schema.type ?? 'any' };
}

// Those that must be there stand first: Python wants them so.
function fieldsOf(schema) {
  const all = Object.entries(schema.properties ?? {}).map(([name, field]) => ({ name, type: typeOf(field), text: field.description ?? '', optional: !(schema.required ?? []).includes(name) }));
  return [...all.filter(f => !f.optional), ...all.filter(f => f.optional)];
}

export function typesOf(document) {
  return Object.entries(document.components.schemas).map(([name, schema]) =>
    schema.enum ? { name, text: schema.description, values: schema.enum } : { name, text: schema.description, fields: fieldsOf(schema) });
}

const jsonType = content => content?.['application/json'] && typeOf(content['application/json'].schema);

function eventsOf(content) {
  const said = content?.['text/event-stream']?.['x-hone-events'];
  return said && Object.entries(said).map(([name, schema]) => ({ name, type: typeOf(schema) }));
}

// A parameter of the query is a word, a list of words (that comes several times), or JSON.
function parameterOf(parameter) {
  const schema = parameter.schema ?? parameter.content['application/json'].schema;
  return { name: parameter.name, type: typeOf(schema), text: parameter.description, optional: !parameter.required, isJson: !parameter.schema };
}

function operationOf(method, path, said) {
  const parameters = said.parameters ?? [], body = said.requestBody?.content, content = said.responses[200].content;
  return {
    id: said.operationId, method: method.toUpperCase(), path, text: said.summary,
    variables: parameters.filter(p => p.in === 'path').map(parameterOf),
    query: parameters.filter(p => p.in === 'query').map(parameterOf),
    body: body ? fieldsOf(body['application/json'].schema) : [],
    hasPayload: Boolean(body?.['multipart/form-data']),
    reply: jsonType(content), events: eventsOf(content),
  };
}

export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, said]) => operationOf(method, path, said)));
}
