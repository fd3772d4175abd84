// Writes what clients/python and clients/node have from schema/openapi.json, and the columns of records from schema/cli/record.json; with --check only compares. scripts/gen_schema runs it.
import fs from 'node:fs';
import path from 'node:path';
import { operationsOf, typesOf } from './document.mjs';
import { nodeApi, nodeApiTypes, nodeChecks, nodeTypes } from './node.mjs';
import { pythonColumns, pythonMessages, pythonOperations } from './python.mjs';

const ROOT = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../..');

const read = name => JSON.parse(fs.readFileSync(path.join(ROOT, name), 'utf8'));

function outputs() {
  const document = read('schema/openapi.json');
  const types = typesOf(document), operations = operationsOf(document);
  return new Map([
    ['clients/node/generated/messages.d.ts', nodeTypes(types)],
    ['clients/node/generated/api.d.ts', nodeApiTypes(types, operations)],
    ['clients/node/generated/api.js', nodeApi(operations)],
    ['clients/node/generated/checks.js', nodeChecks(types)],
    ['clients/python/hone_client/generated/messages.py', pythonMessages(types)],
    ['clients/python/hone_client/generated/operations.py', pythonOperations(operations)],
    ['clients/python/hone_client/generated/record_columns.py', pythonColumns(read('schema/cli/record.json'))],
  ]);
}

const textOf = file => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');
const stale = [...outputs()].filter(([name, text]) => textOf(path.join(ROOT, name)) !== text);
if (process.argv.includes('--check')) {
  for (const [name] of stale) console.error(`${name} is stale; run scripts/gen_schema and commit it`);
  process.exitCode = stale.length ? 1 : 0;
} else {
  for (const [name, text] of stale) {
    fs.writeFileSync(path.join(ROOT, name), text);
    console.error(`wrote ${name}`);
  }
}
