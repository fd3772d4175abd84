// How Node.js describes itself in a browser's terms (device/browser_name.ts, device/wasm/features.ts): the same names as Chromium's.
const systems: Readonly<Record<string, string>> = { linux: 'Linux', android: 'Android', darwin: 'Mac OS X', win32: 'Windows' };
const processors: Readonly<Record<string, [architecture: string, bitness: string]>> = {
  x64: ['x86', '64'], ia32: ['x86', '32'], arm64: ['arm', '64'], arm: ['arm', '32'],
};

// version: as process.version; platform: as process.platform.
export function userAgentOf(version: string, platform: string): string {
  return `Node.js/${version.replace(/^v/, '')} (${systems[platform] ?? platform})`;
}

// arch: as process.arch.
export function processorOf(arch: string): { architecture: string; bitness: string } {
  const [architecture, bitness] = processors[arch] ?? [arch, ''];
  return { architecture, bitness };
}
