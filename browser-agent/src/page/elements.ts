// Builds page elements. Text only, never markup: what is shown came over the network.

type Child = Node | string;

export function element(tag: string, class_name: string, ...children: Child[]): HTMLElement {
  const made = document.createElement(tag);
  if (class_name !== '') made.className = class_name;
  made.append(...children);
  return made;
}

// With words that show while the pointer rests on it; none where `hint` is empty.
export function hinted(made: HTMLElement, hint: string): HTMLElement {
  if (hint !== '') made.title = hint;
  return made;
}

export function drawing(width: number, height: number, ...shapes: SVGElement[]): SVGElement {
  const made = shape('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', height: String(height), 'aria-hidden': 'true' });
  made.append(...shapes);
  return made;
}

export function shape(tag: string, attributes: Record<string, string>): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// Puts the children into the parent, as far as they look different from those that are there: what stays keeps its focus and selection.
export function refresh(parent: Element, ...children: readonly Element[]): void {
  for (const [i, child] of children.entries()) {
    const old = parent.children[i];
    if (old === undefined) parent.append(child);
    else if (!old.isEqualNode(child)) old.replaceWith(child);
  }
  while (parent.children.length > children.length) parent.lastElementChild?.remove();
}

// A list of names and values.
export function facts(rows: readonly (readonly [string, Child])[]): HTMLElement {
  return element('dl', '', ...rows.flatMap(([name, value]) => [element('dt', '', name), element('dd', '', value)]));
}
