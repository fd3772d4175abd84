// What documents name must be there: links, and paths in backticks. A path may be short (`space/seeds.cc` in docs/tuner.md), without its suffix
// (`base/net/gate`), have alternatives (`fragment.{h,cc}`), a `*`, or a word in capitals for a name that the reader chooses.

const DOCUMENT = /^(docs\/.*|README)\.md$/;
// Generated, and those that speak of their own time: their links must hold, what they name in words need not.
const ONLY_LINKS = /^docs\/(decisions\/|notes\/|protocol\.md$)/;
const PATH = /^[\w.-]*[\w{},*.-]+(\/[\w.{},*-]+)+\/?$/;
const SOURCE = /\.(h|cc|def|ts|mjs|py|md|sql|json|txt)$|[{}]/;
const PLACEHOLDER = /[A-Z]{2,}(_[A-Z]+)*/g;

const foldersOf = file => file.split('/').slice(0, -1).map((_, i, parts) => parts.slice(0, i + 1).join('/'));

// The names of a project's files and folders, for this rule and whoever else asks what exists.
export function namesOf(files) {
  const all = new Set(files);
  for (const file of files) for (const folder of foldersOf(file)) all.add(folder);
  return { all, top: new Set([...all].map(name => name.split('/')[0])) };
}

const normal = path => {
  const parts = [];
  for (const part of path.split('/')) part === '..' ? parts.pop() : part !== '.' && parts.push(part);
  return parts.join('/');
};

function* links(text) {
  for (const [index, line] of text.split('\n').entries())
    for (const match of line.matchAll(/\]\(([^)#:\s]+)(#[^)]*)?\)/g)) yield { line: index + 1, target: match[1] };
}

function* paths(text) {
  for (const [index, line] of text.split('\n').entries())
    for (const match of line.matchAll(/`([^`\s]+)`/g)) if (PATH.test(match[1])) yield { line: index + 1, path: match[1].replace(/\/$/, '') };
}

// Every file and folder whose name ends so, whatever its suffix.
function pattern(path) {
  const escaped = path.replace(/[.$+]/g, '\\$&').replace(/\{([^}]*)\}/g, (_, list) => `(${list.replaceAll(',', '|').replaceAll(' ', '')})`);
  return new RegExp(`(^|/)${escaped.replaceAll('*', '[^/]*').replace(PLACEHOLDER, '[^/]*')}(_test)?(\\.\\w+)?$`);
}

const namesAFile = (path, names) => names.top.has(path.split('/')[0]) || SOURCE.test(path);

export function referenceFaults(document, text, names) {
  if (!DOCUMENT.test(document)) return [];
  const faults = [];
  const folder = document.split('/').slice(0, -1).join('/');
  for (const { line, target } of links(text))
    if (!names.all.has(normal(folder ? `${folder}/${target}` : target))) faults.push({ line, text: `no such file: ${target}` });
  if (ONLY_LINKS.test(document)) return faults;
  for (const { line, path } of paths(text)) {
    if (names.all.has(path) || !namesAFile(path, names)) continue;
    const wanted = pattern(path);
    if (![...names.all].some(name => wanted.test(name))) faults.push({ line, text: `nothing in the project is called ${path}` });
  }
  return faults;
}
