// The device's limits, measured by the agent's own code. Node.js takes modules from the disk alone.
export async function measure() {
  const { measureLimits } = await import(globalThis.process ? '../../../browser-agent/dist-bench/limits.js' : '/agent/limits.js');
  return measureLimits();
}
