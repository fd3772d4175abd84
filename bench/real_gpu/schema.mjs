// Reports against their schema, by Debian's python3-jsonschema as the tests of the program have it.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SCHEMAS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../schema/cli');

// What is wrong with the file, in words; '' where nothing is.
export function faultsOf(file) {
  const { status, stdout, stderr, error } = spawnSync('/usr/bin/python3', ['-W', 'ignore', '-m', 'jsonschema', '--base-uri', `file://${SCHEMAS}/`, '-i', file, path.join(SCHEMAS, 'real_gpu.json')], { encoding: 'utf8' });
  return status === 0 ? '' : `${error?.message ?? stderr}${stdout ?? ''}`.trim().split('\n').at(-1) || `jsonschema ended with ${status}`;
}
