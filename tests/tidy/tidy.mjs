#!/usr/bin/env node
// tests/tidy: what a compiler does not check. Usage: node tests/tidy/tidy.mjs [ROOT]; exits 1 and prints path:line: rule: text.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { definitionFaults, definitionsOf } from './definition_rule.mjs';
import { includeFaults } from './include_rule.mjs';
import { namesOf, referenceFaults } from './reference_rule.mjs';
import { wordFaults } from './word_rule.mjs';
import { guardFaults, lengthFaults, machineFaults, markerFaults, nameFaults } from './text_rules.mjs';

export const RULES = { include: includeFaults, word: wordFaults, name: nameFaults, length: lengthFaults, marker: markerFaults,
  machine: machineFaults, guard: guardFaults, reference: referenceFaults, definition: definitionFaults };

export function check(files) {
  const lines = [];
  const names = { ...namesOf(files.map(([name]) => name)), definitions: definitionsOf(files) };
  for (const [name, text] of files)
    for (const [rule, faults] of Object.entries(RULES))
      for (const fault of faults(name, text, names)) lines.push(`${name}:${fault.line}: ${rule}: ${fault.text}`);
  return lines;
}

// Tracked files and new ones that git does not ignore. Binary files have a name but no text.
function readProject(root) {
  const names = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const present = names.split('\0').filter(name => name && fs.statSync(path.join(root, name), { throwIfNoEntry: false })?.isFile());
  return present.map(name => {
    const bytes = fs.readFileSync(path.join(root, name));
    return [name, bytes.includes(0) ? '' : bytes.toString('utf8')];
  });
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) main(process.argv[2] ?? '.');

function main(root) {
  const files = readProject(root);
  const faults = check(files);
  for (const fault of faults) console.log(fault);
  console.log(`tidy: ${files.length} files, ${faults.length} faults`);
  process.exitCode = faults.length ? 1 : 0;
}
