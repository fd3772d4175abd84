// No template per operator: below te/ops and graph nothing knows an operator's name.
//
// An identifier is brought to snake case (ConvRule -> conv_rule), English words that merely begin alike (convert, convention,
// prelude) are taken out, and what is left may not contain an operator's name, with or without an underscore between its parts.
// String literals count (a branch on "conv2d" is a template too), comments and tests do not: a test may name what it builds.
import { isTest } from './include_rule.mjs';

const WHERE = /^(codegen|tuner|server|tracker|browser-agent)\//;
const EXEMPT = /^codegen\/(graph|te\/ops)\//;
const INNOCENT = /conver(t|s|g)[a-z]*|convention[a-z]*|conven(e|i)[a-z]*|convex[a-z]*|convey[a-z]*|convinc[a-z]*|prelude[a-z]*/g;
const NAMES = [/mat_?mul/, /gemm/, /conv/, /max_?pool/, /soft_?max/, /layer_?norm/, /relu|(^|_)re_lu/, /gelu|(^|_)ge_lu/];

const snake = name => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2').toLowerCase();

export function operatorName(identifier) {
  const rest = snake(identifier).replace(INNOCENT, '');
  return NAMES.map(pattern => pattern.exec(rest)?.[0]).find(found => found !== undefined);
}

// Blanks comments and keeps line breaks, so that line numbers stay.
export function withoutComments(text) {
  const token = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replace(token, found => (found.startsWith('/') ? found.replace(/[^\n]/g, ' ') : found));
}

export function wordFaults(path, text) {
  if (!WHERE.test(path) || EXEMPT.test(path) || isTest(path) || !/\.(h|cc|def|ts|sql|json|mjs|py)$/.test(path)) return [];
  if (/package-lock\.json$/.test(path)) return [];
  const faults = [];
  const inName = operatorName(path.split('/').slice(1).join('_').replaceAll('.', '_'));
  if (inName) faults.push({ line: 1, text: `the file's name contains the operator name "${inName}"` });
  for (const [index, line] of withoutComments(text).split('\n').entries()) {
    if (/^\s*#\s*include/.test(line)) continue;
    for (const [identifier] of line.matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)) {
      const found = operatorName(identifier);
      if (found) faults.push({ line: index + 1, text: `"${identifier}" contains the operator name "${found}"` });
    }
  }
  return faults;
}
