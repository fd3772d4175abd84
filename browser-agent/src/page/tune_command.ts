// The command that starts a job on this page's device.

// page: the page's URL, of which only the service's address and the token count: what a launcher wrote beside it is not the user's.
export function tuneCommand(page: URL, token: string, target: string): string {
  const port = page.port === '' ? ':80' : '';   // hone wants it said
  const tracker = `${page.origin}${port}${page.pathname}#token=${token}`;
  // WebGPU is what jobs ask for that say nothing.
  return `hone tune MODEL.onnx --tracker ${quoted(tracker)}${target === 'webgpu' ? '' : ` --target ${target}`}`;
}

// As one word of a POSIX shell, whatever it holds.
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
