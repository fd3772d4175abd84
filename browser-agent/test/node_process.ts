// The agent on the Node.js that runs the tests, as hone agent --browser node starts it.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

// Dawn's software driver, as launch/node_program.cc has it.
export const swiftshader = '/usr/lib/chromium/vk_swiftshader_icd.json';

export class NodeProcess {
  log = '';
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  // more: arguments of the agent's program behind the URL's file.
  constructor(dist: string, url: string, more: readonly string[] = []) {
    const folder = mkdtempSync(path.join(tmpdir(), 'hone-node-')), file = path.join(folder, 'page.url');
    writeFileSync(file, `${url}\n`);
    const relaxed_simd = Number.parseInt(process.versions.node, 10) < 21 ? ['--experimental-wasm-relaxed-simd'] : [];
    this.#child = spawn(process.execPath, [...relaxed_simd, path.join(dist, 'node_agent.mjs'), file, ...more], {
      stdio: ['ignore', 'inherit', 'pipe'], env: { ...process.env, VK_ICD_FILENAMES: swiftshader },
    });
    this.#child.stderr?.on('data', (text: Buffer) => { this.log += text.toString(); });
    this.ended = new Promise(done => this.#child.on('exit', code => {
      rmSync(folder, { recursive: true, force: true });
      done(code);
    }));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}
