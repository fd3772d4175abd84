// A package in a single HTML file: each of its files is a script element that nobody runs, with the content in base64.
//   <script type="application/octet-stream" data-file="manifest.json">…</script>
interface Page {
  querySelector(selector: string): { readonly textContent: string | null } | null;
}

const page = (globalThis as { readonly document?: Page }).document;   // none in a worker

function contentOf(file: string): string | undefined {
  return page?.querySelector(`script[data-file=${JSON.stringify(file)}]`)?.textContent ?? undefined;
}

export function isEmbedded(): boolean {
  return contentOf('manifest.json') !== undefined;
}

// Where its content is fetched from; undefined: it is a file of its own.
export function embeddedUrl(file: string): string | undefined {
  const content = contentOf(file);
  return content === undefined ? undefined : `data:application/octet-stream;base64,${content}`;
}

// A script for a worker. There is no other file here that it could come from.
export function embeddedScript(file: string): string | undefined {
  const content = contentOf(file);
  return content === undefined ? undefined : URL.createObjectURL(new Blob([atob(content)], { type: 'text/javascript' }));
}
