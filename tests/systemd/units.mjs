// Given the units, with the program of this build in the place of the installed one, when systemd verifies them, then it finds nothing; a unit with a
// setting that does not exist is found. The options of the units are such that the program has.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [units, program] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'hone_units_'));

function verify(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text.replaceAll('/usr/bin/hone ', `${program} `));
  return spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
}

try {
  if (spawnSync('systemd-analyze', ['--version']).error) {
    console.log('skipped: no systemd-analyze; the package systemd has it');
    process.exit(77);
  }
  for (const name of readdirSync(units)) {
    const text = readFileSync(join(units, name), 'utf8');
    const found = verify(name, text);
    assert.equal(`${found.status}${found.stderr}`, '0', name);
    assert.notEqual(verify(name, text.replace('[Service]', '[Service]\nLimitNOFILES=1')).stderr, '', `${name} with a misspelt setting`);
    const command = /^ExecStart=\S+ (.*)$/m.exec(text)[1], verb = command.split(' ')[0];
    const help = spawnSync(program, [verb, '--help'], { encoding: 'utf8' }).stdout;
    for (const option of command.match(/--[a-z-]+/g)) assert.match(help, new RegExp(`${option}\\b`), `${name}: ${option}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
