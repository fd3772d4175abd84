// The command that starts a job on this page's device.

// page: the page's URL, of which only the service's address and the token count: what a launcher wrote beside it is not the user's.
// token: empty where the page's is an agent's: jobs need another one, of which the page knows nothing.
export function tuneCommand(page: URL, token: string, target: string): string {
  const port = page.port === '' ? ':80' : '';   // hone wants it said
  const address = `${page.origin}${port}${page.pathname}`;
  const tracker = token === '' ? `${quoted(address)} --token-file FILE` : quoted(`${address}#token=${token}`);
  // WebGPU is what jobs ask for that say nothing.
  return `hone tune MODEL.onnx --tracker ${tracker}${target === 'webgpu' ? '' : ` --target ${target}`}`;
}

// As one word of a POSIX shell, whatever it holds.
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
