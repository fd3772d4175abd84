// What the URL of the agent's page says behind its #: no server sees it.
import type { DeviceChoice, TargetChoice } from '../core/agent_link.ts';

export interface Fragment {
  token: string;
  code: string | undefined;   // of an enrolment
  launch_id: string | undefined;
  launch_flags: string[] | undefined;
  physical_id: string | undefined;
  name: string;
  choice: DeviceChoice;
}

// #token=…, or #enroll=… for a page that gets a token of its own, and from a launcher (launch/browser_launcher.cc) &launch=…&flags=…&device=…; &name=… for people,
// &target=webgpu, webgl, wasm, or native, opengl or opencl (without a browser) for that device and no other, &clock=wall or coarse for another clock than the best (ClockChoice), &threads=N for
// WebAssembly on so many threads at most, &without=relaxed-simd as on a browser that lacks it. hash: as URL.hash has it. name: where the fragment has none.
export function readFragment(hash: string, name: string): Fragment {
  const fragment = new URLSearchParams(hash.slice(1));
  return {
    token: fragment.get('token') ?? '',
    code: fragment.get('enroll') ?? undefined,
    launch_id: fragment.get('launch') ?? undefined,
    launch_flags: fragment.get('flags')?.split(' ').filter(flag => flag !== ''),
    physical_id: /^[0-9a-f]{32}$/.exec(fragment.get('device') ?? '')?.[0],
    name: fragment.get('name') ?? name.slice(0, 200),
    choice: {
      target: readTarget(fragment.get('target')),
      clock: clocks.find(clock => clock === fragment.get('clock')) ?? 'best',
      threads_max: Math.max(0, Math.trunc(Number(fragment.get('threads')))) || 0,
      without: fragment.get('without')?.split(',') ?? [],
    },
  };
}

// The same without the code, which is good once.
export function withoutCode(hash: string): string {
  const rest = hash.slice(1).split('&').filter(part => !part.startsWith('enroll='));
  return rest.length === 0 || rest[0] === '' ? '' : `#${rest.join('&')}`;
}

const clocks = ['wall', 'coarse'] as const;
const targets = ['webgpu', 'webgl', 'wasm', 'native', 'opengl', 'opencl'] as const;

function readTarget(name: string | null): TargetChoice {
  return targets.find(target => target === name) ?? 'best';
}
