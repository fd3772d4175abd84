// tinygrad in an environment of its own, with Dawn's library for its device WEBGPU, and what it exports.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url)), VERSION = '0.14.0';
const PACKAGES = [`tinygrad==${VERSION}`, 'dawn-python==0.3.0', 'numpy'];   // dawn-python: libwebgpu_dawn for Python
const ICD = '/usr/lib/chromium/vk_swiftshader_icd.json', MACHINES = { x64: 'x86_64', arm64: 'aarch64' };
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };

// Makes the environment at `folder` unless it is there. Needs Python 3.11 with venv and, the first time, a package index.
export function prepareTinygrad(folder, log) {
  const python = path.join(folder, 'bin/python3'), ready = path.join(folder, `ready-${VERSION}`);
  if (!fs.existsSync(ready)) {
    log(`exports: installing ${PACKAGES.join(', ')} in ${folder}`);
    execFileSync('python3', ['-m', 'venv', '--clear', folder], quiet);
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES], quiet);
    fs.writeFileSync(ready, '');
  }
  const place = execFileSync(python, ['-c', 'import sysconfig; print(sysconfig.get_paths()["purelib"])'], { encoding: 'utf8' }).trim();
  return { python, version: VERSION, library: path.join(place, `pydawn/lib/libwebgpu_dawn_${MACHINES[process.arch]}.so`) };
}

// {kernels, launches} of the model, which lies in `folder` then.
export function exportWithTinygrad({ python, library }, model, folder) {
  const env = { VK_ICD_FILENAMES: ICD, ...process.env, DEV: 'WEBGPU', WEBGPU_PATH: library };
  const said = execFileSync(python, [path.join(HERE, 'tinygrad_export.py'), model, folder], { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(said.trim().split('\n').at(-1));
}
