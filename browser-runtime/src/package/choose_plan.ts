// Which plans of a package a device can run, the most promising first.
import type { Manifest, PlanHead } from '../generated/manifest.ts';
import type { Fingerprint } from '../device/fingerprint.ts';

type Place = Pick<Fingerprint, 'vendor' | 'architecture' | 'browser' | 'features' | 'limits'>;

// What a kernel is compiled for, not what it needs at least: its lanes exchange values in subgroups of one size.
const exact_limits: ReadonlySet<string> = new Set(['linearSubgroupSize']);

// What the device lacks, in words; empty: nothing.
export function lackOf({ features, limits }: Pick<PlanHead, 'features' | 'limits'>, place: Pick<Place, 'features' | 'limits'>): string {
  const feature = features.find(name => !place.features.includes(name));
  if (feature !== undefined) return `has no ${feature}`;
  const fits = (name: string, wanted: number, has: number): boolean => (exact_limits.has(name) ? has === wanted : has >= wanted);
  const limit = Object.entries(limits).find(([name, wanted]) => !fits(name, wanted, place.limits[name] ?? 0));
  return limit === undefined ? '' : `has ${limit[0]} ${place.limits[limit[0]] ?? 'unknown'}, and ${exact_limits.has(limit[0]) ? 'exactly ' : ''}${limit[1]} is needed`;
}

// How near the device that a plan was made for is: the same in the same browser, the same in another one, none in particular, another one.
export function nearness({ vendor, architecture, browser }: Pick<PlanHead, 'vendor' | 'architecture' | 'browser'>, place: Place): 3 | 2 | 1 | 0 {
  if (vendor === '' && architecture === '' && browser === '') return 1;
  if (vendor !== place.vendor || architecture !== place.architecture) return 0;
  if (browser === place.browser) return 3;
  return vendor === '' && architecture === '' ? 0 : 2;
}

export interface Choice {
  readonly head: PlanHead;
  readonly reason: string;       // why it stands where it stands
}

const reasons = { 3: 'made for this device and browser', 2: 'made for this device in another browser', 1: 'portable', 0: 'made for another device' } as const;

// Those of one backend that the device can run, in the order in which to try them; and a sentence for each that it cannot. fastest: the one
// that was measured to be that, if any was.
export function rankPlans(manifest: Pick<Manifest, 'plans'>, backend: PlanHead['backend'], place: Place, fastest?: PlanHead): { choices: Choice[]; refused: string[] } {
  const choices: (Choice & { near: number })[] = [], refused: string[] = [];
  for (const head of manifest.plans.filter(plan => plan.backend === backend)) {
    const lack = lackOf(head, place), near = nearness(head, place);
    if (lack === '') choices.push(head === fastest ? { head, near: 4, reason: `${reasons[near]}, and was the fastest here before` } : { head, near, reason: reasons[near] });
    else refused.push(`The plan ${head.made_for} for ${backend} does not run here: the device ${lack}.`);
  }
  return { choices: choices.sort((a, b) => b.near - a.near), refused };
}
