// Elements of the page, and their texts: names are anybody's, so they are set as text alone.

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found as T;
}

export function made<K extends keyof HTMLElementTagNameMap>(tag: K, text = '', className = ''): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  node.textContent = text;
  if (className !== '') node.className = className;
  return node;
}

// Resolves when the whole document is there.
export const wholeDocument = (): Promise<void> =>
  document.readyState === 'loading' ? new Promise(done => document.addEventListener('DOMContentLoaded', () => done(), { once: true })) : Promise.resolve();
