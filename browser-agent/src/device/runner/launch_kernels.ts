// The kernels of a candidate's launches in the runner. Those that another holds already stay that one's.
import type { Attempt } from '../../core/outcome.ts';
import { success } from '../../core/outcome.ts';
import type { Launch } from '../../generated/protocol.ts';
import type { Runner } from './runner.ts';

export class LaunchKernels {
  readonly #own: number[] = [];

  constructor(private readonly runner: Runner, private readonly launches: readonly Launch[], private readonly other?: LaunchKernels) {}

  // create_ms: 0 of one that is there.
  async at(i: number): Promise<Attempt<{ kernel: number; create_ms: number }>> {
    const known = this.other === undefined ? undefined : this.other.#own[i];
    if (known !== undefined) return success({ kernel: known, create_ms: 0 });
    const built = await this.runner.build(new TextEncoder().encode(this.launches[i]?.code));
    if (built.ok) this.#own[i] = built.value.kernel;
    return built;
  }

  dispose(): void {
    for (const kernel of this.#own) this.runner.drop(kernel);
  }
}
