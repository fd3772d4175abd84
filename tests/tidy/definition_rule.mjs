// A type of C++ has one definition. Of two types of one name in one namespace the linker takes the functions of either for both, `std::vector<T>`'s as well,
// and no compiler sees it.

const CPP = /\.(h|cc)$/;
const OPENS = /^(?:inline )?namespace\s*([\w:]*)\s*\{/;
const CLOSES = /^\}\s*\/\/ namespace/;
const TYPE = /^(?:struct|class|union|enum class)\s+(\w+)(?:\s+final)?\s*(?::[^:;].*)?\{/;

// Of types that are not local to their file: their names with all namespaces.
function* definitions(text) {
  const spaces = [];
  for (const [index, line] of text.split('\n').entries()) {
    const opens = OPENS.exec(line), type = TYPE.exec(line);
    if (opens) spaces.push(opens[1]);
    else if (CLOSES.test(line)) spaces.pop();
    else if (type && !spaces.includes('')) yield { line: index + 1, name: [...spaces, type[1]].join('::') };
  }
}

// The file that defines each type first.
export function definitionsOf(files) {
  const first = new Map();
  for (const [file, text] of files)
    if (CPP.test(file)) for (const { name } of definitions(text)) if (!first.has(name)) first.set(name, file);
  return first;
}

export function definitionFaults(file, text, { definitions: first }) {
  if (!CPP.test(file)) return [];
  return [...definitions(text)].filter(({ name }) => first.get(name) !== file).map(({ line, name }) => ({ line, text: `${name} is also defined in ${first.get(name)}` }));
}
