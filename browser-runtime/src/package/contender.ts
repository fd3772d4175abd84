// Contender: the plans of one wish, one after the other; the one that is open, and its device.
import type { Manifest, PlanHead } from '../generated/manifest.ts';
import { candidates, type Candidate, type Wish } from './candidates.ts';
import type { Source } from './files.ts';
import { openPlan, type OpenPlan, type Progress } from './open_plan.ts';
import { PackageError } from './package_error.ts';

export interface Course {
  readonly source: Source;
  readonly manifest: Manifest;
  readonly failed: Set<PlanHead>;        // never tried again
  readonly onNote: (note: string) => void;
}

export interface Opened extends OpenPlan {
  readonly candidate: Candidate;
}

export class Contender {
  readonly #candidates: AsyncGenerator<Candidate, void>;
  open: Opened | undefined;

  constructor(private readonly course: Course, wish: Wish) {
    this.#candidates = candidates(course.manifest, wish, course.onNote);
  }

  // The first that opens of those that are left; undefined: none. Throws what is wrong with the package, or that the load was ended.
  async openNext(onProgress: (progress: Progress) => void = () => {}): Promise<Opened | undefined> {
    const { source, manifest, failed } = this.course;
    for (let next = await this.#candidates.next(); next.done !== true; next = await this.#candidates.next()) {
      const candidate = next.value, { head, device } = candidate;
      if (failed.has(head)) continue;
      try {
        return this.open = { ...await openPlan(source, manifest, head, device, onProgress), candidate };
      } catch (error) {
        if (error instanceof PackageError || source.signal?.aborted === true) throw error;
        this.#fail(head, `failed: ${messageOf(error)}`);
      }
    }
    return undefined;
  }

  // What is open is so no more.
  drop(error: unknown): void {
    if (this.open === undefined) return;
    this.#fail(this.open.candidate.head, `failed in the middle: ${messageOf(error)}`);
    this.open.runner.dispose();
    this.open = undefined;
  }

  #fail(head: PlanHead, what: string): void {
    this.course.failed.add(head);
    this.course.onNote(`The plan ${head.made_for} for ${head.backend} ${what}.`);
  }

  dispose(): void {
    this.open?.runner.dispose();
    this.open = undefined;
    void this.#candidates.return().catch(() => {});   // which disposes the device
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.+$/, '');
}
