// A package on WebGL 2.
import type { Fingerprint } from '../device/fingerprint.ts';
import { openContext } from '../device/webgl2/context.ts';
import { GlDevice } from '../device/webgl2/gl_device.ts';
import type { PlanSpec, Upload } from '../plan/plan.ts';
import { WebGlPlan } from '../plan/webgl2_plan.ts';
import { valueOf, type Device, type Opened, type Runner } from './device.ts';

export function openWebGl(): Opened {
  const found = openContext();
  return found.ok ? { ok: true, device: new WebGlDevice(new GlDevice(found.canvas, found.gl), found.fingerprint) } : found;
}

class WebGlDevice implements Device {
  readonly notes = [];

  constructor(private readonly device: GlDevice, readonly fingerprint: Fingerprint) {}

  lostReason(): string | undefined {
    return this.device.lostReason();
  }

  async open(spec: PlanSpec): Promise<Runner> {
    return new WebGlRunner(this.device, valueOf(WebGlPlan.make(this.device, spec)));
  }

  dispose(): void {
    this.device.dispose();
  }
}

class WebGlRunner implements Runner {
  #last: Promise<unknown> = Promise.resolve();   // runs take turns: they share the outputs' buffer

  constructor(private readonly device: GlDevice, private readonly plan: WebGlPlan) {}

  write(upload: Upload): void {
    this.plan.write(upload);   // what the context says of it is asked for once, by warmUp: the thread would wait each time
  }

  async compile(): Promise<void> {
    valueOf(await this.plan.compile());
  }

  async warmUp(inputs: readonly Upload[]): Promise<void> {
    valueOf(await this.device.checked(async () => {
      await this.plan.settleInTurns();
      await this.plan.run(inputs);
    }));
    const stray = this.device.takeStray();
    if (stray !== undefined) throw new Error(stray);
  }

  run(inputs: readonly Upload[]): Promise<ArrayBuffer> {
    const ran = this.#last.then(() => this.#run(inputs));
    this.#last = ran.catch(() => {});
    return ran;
  }

  async #run(inputs: readonly Upload[]): Promise<ArrayBuffer> {
    const outputs = await this.plan.run(inputs);
    this.#throwIfLost();
    return outputs;
  }

  // A lost context drops all work and gives zeros.
  #throwIfLost(): void {
    const lost = this.device.lostReason();
    if (lost !== undefined) throw new Error(lost);
  }

  dispose(): void {
    this.plan.dispose();
  }
}
