// A display for a headless Firefox, which has WebGL only where there is one: that of the machine, or Xvfb's where it is installed.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';

export class VirtualDisplay {
  private constructor(readonly name: string, private readonly process: ChildProcess | undefined) {}

  static available(): boolean {
    return process.env['DISPLAY'] !== undefined || spawnSync('Xvfb', ['-help'], { stdio: 'ignore' }).error === undefined;
  }

  static async open(): Promise<VirtualDisplay> {
    const { DISPLAY } = process.env;
    if (DISPLAY !== undefined) return new VirtualDisplay(DISPLAY, undefined);
    const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '640x480x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const number = await new Promise<string>((resolve, reject) => {
      child.stdout.once('data', chunk => resolve(String(chunk).trim()));
      child.once('exit', code => reject(new Error(`Xvfb ended (${code})`)));
    });
    return new VirtualDisplay(`:${number}`, child);
  }

  close(): void {
    this.process?.kill();
  }
}
