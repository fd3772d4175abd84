// Name, major version and system from the user agent: the only source that all browsers share. Node.js's is ours (node/browser_globals.ts).
export function describeBrowser(user_agent: string): { browser: string; browser_major: number; os: string } {
  const named: [RegExp, string][] = [[/^Node\.js\/(\d+)/, 'node'], [/Firefox\/(\d+)/, 'firefox'], [/Edg\/(\d+)/, 'edge'], [/Chrome\/(\d+)/, 'chromium'], [/Version\/(\d+).*Safari/, 'safari']];
  const systems: [RegExp, string][] = [[/Android/, 'android'], [/iPhone|iPad/, 'ios'], [/Windows/, 'windows'], [/Mac OS X/, 'macos'], [/CrOS/, 'chromeos'], [/Linux/, 'linux']];
  const os = systems.find(([pattern]) => pattern.test(user_agent))?.[1] ?? 'unknown';
  for (const [pattern, browser] of named) {
    const major = pattern.exec(user_agent)?.[1];
    if (major !== undefined) return { browser, browser_major: Number(major), os };
  }
  return { browser: 'unknown', browser_major: 0, os };
}
