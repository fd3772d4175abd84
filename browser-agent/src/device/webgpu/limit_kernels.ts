// Kernels that show a device's limits and compute nothing else: multiply-adds in registers, and copies of vectors, as WGSL.

export type FloatType = 'f32' | 'f16';

// One way to write multiply-adds. Chains depend on themselves alone, so that a thread has several operations under way; each is of vectors of four.
export interface MultiplyAdds {
  readonly type: FloatType;
  readonly form: 'fma' | 'multiply, add';
  readonly chains: number;
}

export const threads = 256;       // of a workgroup: the default of maxComputeInvocationsPerWorkgroup
export const vector_bytes = 16;
const lanes = 4;                  // of a vector
const steps = 8;                  // of each chain in a round: the loop's own counting is little beside them
const first_step = 1 / 16;        // between the chains' first values
const threads_apart = 8;          // that begin with values of their own

// Which way suits a device is tried: more chains hide more latency, and fill more registers.
export function waysOf(type: FloatType): MultiplyAdds[] {
  return (['fma', 'multiply, add'] as const).flatMap(form => [2, 4, 8].map(chains => ({ type, form, chains })));
}

export function flopsPerRound({ chains }: MultiplyAdds): number {
  return 2 * lanes * chains * steps;
}

// Binding 0: what came of each thread's chains, f32; binding 1: rounds, factor and addend, which no compiler knows.
export function multiplyAddCode({ type, form, chains }: MultiplyAdds): string {
  const all = (line: (chain: string, number: number) => string) => Array.from({ length: chains }, (_, number) => line(`c${number}`, number)).join('\n');
  const step = (chain: string) => (form === 'fma' ? `${chain} = fma(${chain}, factor, addend);` : `${chain} = ${chain} * factor + addend;`);
  return `${type === 'f16' ? 'enable f16;\n' : ''}struct Work { rounds: u32, factor: f32, addend: f32 }
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@group(0) @binding(1) var<storage, read> work: Work;
@compute @workgroup_size(${threads}) fn main(@builtin(global_invocation_id) id: vec3u) {
let factor = vec4<${type}>(${type}(work.factor));
let addend = vec4<${type}>(${type}(work.addend));
let first = vec4<${type}>(${type}(id.x % ${threads_apart}u)) * ${1 / threads_apart} + vec4<${type}>(0, 0.25, 0.5, 0.75);
${all((chain, number) => `var ${chain} = first + ${number * first_step};`)}
for (var i = 0u; i < work.rounds; i++) {
${Array.from({ length: steps }, () => all(step)).join('\n')}
}
out[id.x] = f32(dot(${Array.from({ length: chains }, (_, number) => `c${number}`).join(' + ')}, vec4<${type}>(1)));
}`;
}

// What thread `id` must write.
export function multiplyAddResult({ chains }: MultiplyAdds, id: number, { rounds, factor, addend }: { rounds: number; factor: number; addend: number }): number {
  let sum = 0;
  for (let chain = 0; chain < chains; chain++)
    for (let lane = 0; lane < lanes; lane++) {
      let value = (id % threads_apart) / threads_apart + lane / 4 + chain * first_step;
      for (let step = 0; step < rounds * steps; step++) value = value * factor + addend;
      sum += value;
    }
  return sum;
}

const copying = (access: string, body: string): string => `
@group(0) @binding(0) var<storage, ${access}> original: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4u>;
@compute @workgroup_size(${threads}) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
  for (var i = id.x; i < arrayLength(&copied); i += groups.x * ${threads}u) { ${body} }
}`;

// Each thread takes vectors that lie next to its neighbours'. What is copied are no zeros, which some memories hold packed.
export const copy_code = copying('read', 'copied[i] = original[i];');
export const fill_code = copying('read_write', 'original[i] = (vec4u(i) + vec4u(0, 1, 2, 3)) * 2654435769u; copied[i] = vec4u();');
export const filled = (vector: number, lane: number): number => Math.imul(vector + lane, 2654435769) >>> 0;
