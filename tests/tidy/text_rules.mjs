// Rules on a file's name and text alone.

// Files of more than this many lines are two nouns in one, unless they stand here with the reason.
const LINES_MAX = 600;
const LONG_FILES = {};

const GIVEN_NAMES = new Set(['CMakeLists.txt', 'CMakePresets.json', 'LICENSE', 'README.md', 'browser-agent', 'browser-report', 'browser-runtime', 'package-lock.json',
  '.clang-format', '.gitignore', '.ci', 'hone-agent.service', 'hone-server.service', 'hone-tracker.service']);
const SNAKE = /^[a-z0-9_]+(\.[a-z0-9_]+)*$/;

const CODE = /\.(h|cc|def|ts|mjs|js|py|sql|json|md|txt|html|css)$|^(scripts|\.ci)\//;
const OWN_RULES = /^tests\/tidy\//;
const isGenerated = path => /(^|\/)generated\//.test(path) || /package-lock\.json$/.test(path) || /^docs\/(protocol|manifest|bench_report)\.md$/.test(path);

export function nameFaults(path) {
  return path.split('/').filter(part => !GIVEN_NAMES.has(part) && !SNAKE.test(part))
    .map(part => ({ line: 1, text: `"${part}" is not snake_case` }));
}

export function lengthFaults(path, text) {
  if (!/\.(h|cc|ts|mjs|py)$|^scripts\//.test(path) || isGenerated(path)) return [];
  const lines = text.split('\n').length - 1;
  if (lines <= LINES_MAX || LONG_FILES[path]) return [];
  return [{ line: 1, text: `${lines} lines, more than ${LINES_MAX}: two nouns in one?` }];
}

function patternFaults(path, text, pattern, what) {
  if (!CODE.test(path) || OWN_RULES.test(path) || isGenerated(path)) return [];
  return text.split('\n').flatMap((line, index) => {
    const found = pattern.exec(line);
    return found ? [{ line: index + 1, text: `${what}: ${found[0]}` }] : [];
  });
}

export const markerFaults = (path, text) => patternFaults(path, text, /\b(TODO|XXX|HACK)\b/, 'unfinished work');

export const machineFaults = (path, text) =>
  patternFaults(path, text, /(?<![\w.}])\/(work|farm|root|home\/[a-z]\w*|Users\/\w+)\/[\w.]*/, 'a path of one machine');

export function guardFaults(path, text) {
  return /\.h$/.test(path) && !/^#pragma once$/m.test(text) ? [{ line: 1, text: 'a header begins with #pragma once' }] : [];
}
