// WebGL 2 in a worker: a context, and one plan on it at a time.
import type { Fingerprint } from '../device/fingerprint.ts';
import { openContext } from '../device/webgl2/context.ts';
import { GlDevice } from '../device/webgl2/gl_device.ts';
import type { Upload } from '../plan/plan.ts';
import { WebGlPlan } from '../plan/webgl2_plan.ts';
import { valueOf } from './device.ts';
import type { Handler } from './worker_service.ts';

export class WebGlHost {
  #plan: WebGlPlan | undefined;
  #is_warm = false;

  private constructor(private readonly device: GlDevice, readonly fingerprint: Fingerprint) {}

  // Throws a sentence where there is no context that draws to float textures.
  static open(): WebGlHost {
    const found = openContext();
    if (!found.ok) throw new Error(found.reason);
    return new WebGlHost(new GlDevice(found.canvas, found.gl), found.fingerprint);
  }

  get lost(): string | undefined {
    return this.device.lostReason();
  }

  readonly handle: Handler = async request => {
    if (request.kind === 'open') {
      this.#plan = valueOf(WebGlPlan.make(this.device, request.spec));
      this.#is_warm = false;
      return {};
    }
    const plan = this.#plan;
    if (plan === undefined) throw new Error('no plan is open');
    switch (request.kind) {
      case 'compile':
        valueOf(await plan.compile());
        return {};
      case 'write':
        plan.write(request.upload);   // what the context says of it is asked for once, by settle: to ask waits for the context
        return {};
      case 'warm_up':
        await this.#warmUp(plan);
        return {};
      case 'settle':
        await this.#settle(plan, request.inputs);
        return {};
      case 'run':
        return { ran: { outputs: await this.#run(plan, request.inputs), inputs: request.inputs } };
      default:
        plan.dispose();
        this.#plan = undefined;
        return {};
    }
  };

  async #warmUp(plan: WebGlPlan): Promise<void> {
    if (!this.#is_warm) valueOf(await this.device.checked(() => plan.settleInTurns()));
    this.#is_warm = true;
  }

  async #settle(plan: WebGlPlan, inputs: readonly Upload[]): Promise<void> {
    await this.#warmUp(plan);
    valueOf(await this.device.checked(() => plan.run(inputs)));
    const stray = this.device.takeStray();
    if (stray !== undefined) throw new Error(stray);
  }

  // A lost context drops all work and gives zeros.
  async #run(plan: WebGlPlan, inputs: readonly Upload[]): Promise<ArrayBuffer> {
    const outputs = await plan.run(inputs);
    if (this.lost !== undefined) throw new Error(this.lost);
    return outputs;
  }
}
