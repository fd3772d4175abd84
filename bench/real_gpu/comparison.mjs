// What took turns on one work, as a report has it.
import { overFastest } from '../peers/paired.mjs';

const RIVALS = ['ort_webgpu', 'tfjs_webgpu'];

// {ms, failed} by name, hone's models as hone; over_fastest: how many times faster hone is than the faster rival, or null.
export function comparisonOf(results) {
  const known = Object.entries(results).map(([name, result]) => [name === 'hone_model' ? 'hone' : name, result]).filter(([name]) => name === 'hone' || RIVALS.includes(name));
  const missing = ['hone', ...RIVALS].filter(name => !known.some(([found]) => found === name)).map(name => [name, { failed: 'it does not start; why was said on stderr' }]);
  const having = key => Object.fromEntries([...known, ...missing].filter(([, result]) => result[key] !== undefined).map(([name, result]) => [name, result[key]]));
  const ms = having('ms');
  return { ms, failed: having('failed'), over_fastest: overFastest({ ms, samples: having('samples_ms') }, 'hone', RIVALS)?.over ?? null };
}
