// Starts a headless Firefox, where one is installed, on one page that speaks to a service by itself: no more is needed of it.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const programs = ['firefox', 'firefox-esr'];
// WebGPU also in workers and on software, no first-run pages, no updates, and no slower timers in what counts as a hidden page: the part of
// launch/firefox_program.cc that shows here.
const preferences = {
  'dom.webgpu.enabled': true, 'dom.webgpu.workers.enabled': true, 'gfx.webgpu.ignore-blocklist': true, 'privacy.reduceTimerPrecision': false,
  'browser.shell.checkDefaultBrowser': false, 'browser.aboutwelcome.enabled': false, 'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.enabled': false, 'app.normandy.enabled': false, 'dom.min_background_timeout_value': 4, 'network.captive-portal-service.enabled': false,
};

export function findFirefox(): string | undefined {
  return programs.find(program => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0);
}

export class Firefox {
  private constructor(private readonly process: ChildProcess, private readonly profile: string) {}

  static open(program: string, url: string): Firefox {
    const profile = mkdtempSync(path.join(tmpdir(), 'hone-firefox-'));
    writeFileSync(path.join(profile, 'user.js'), Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`).join('\n'));
    return new Firefox(spawn(program, ['--headless', '--no-remote', '--profile', profile, url], { stdio: 'ignore', detached: true }), profile);
  }

  async close(): Promise<void> {
    const gone = new Promise(resolve => this.process.once('exit', resolve));
    if (this.process.pid !== undefined && this.process.exitCode === null) process.kill(-this.process.pid, 'SIGKILL');
    await gone;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
