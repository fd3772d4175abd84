// A document that several benchmarks write, each the part between its own marks; the rest stays as it is.
import fs from 'node:fs';

// The part's text replaced, or put at the end where there was none.
export function withPart(document, name, text) {
  const begin = `<!-- ${name}: begin -->\n`, end = `<!-- ${name}: end -->\n`, part = `${begin}${text.trimEnd()}\n${end}`;
  const from = document.indexOf(begin), to = document.indexOf(end, from);
  if (from < 0 || to < 0) return document === '' ? part : `${document.trimEnd()}\n\n${part}`;
  return document.slice(0, from) + part + document.slice(to + end.length);
}

export function writePart(file, name, text) {
  fs.writeFileSync(file, withPart(fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '', name, text));
}
