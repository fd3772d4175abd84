// CommandLine: a command that a person is to run. A click on it, or its button, copies it; where the browser gives no clipboard (no secure
// context, or refused), its text is selected instead.
import { element } from './elements.ts';

const said_ms = 2000;

export class CommandLine {
  readonly root: HTMLElement;
  readonly #text = element('code', '');
  readonly #button = element('button', '', 'Copy');
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#button.setAttribute('type', 'button');
    this.#button.setAttribute('aria-live', 'polite');
    this.root = element('section', 'card', element('h2', '', 'Tune a model on this device'), element('p', 'empty', 'On a machine that has hone, run:'),
      element('div', 'command', this.#text, this.#button));
    this.#button.addEventListener('click', () => void this.#copy());
    this.#text.addEventListener('click', () => { if (getSelection()?.isCollapsed !== false) void this.#copy(); });   // else somebody selects a part of it
  }

  // Empty: nothing to run now.
  show(command: string): void {
    this.root.hidden = command === '';
    if (this.#text.textContent === command) return;
    // Lines break between options, not within one that has room.
    const options = command.split(/ (?=--)/).map(option => element('span', '', option));
    this.#text.replaceChildren(...options.flatMap((option, i) => i === 0 ? [option] : [' ', option]));
  }

  async #copy(): Promise<void> {
    const copied = await write(this.#text.textContent);
    if (!copied) getSelection()?.selectAllChildren(this.#text);
    this.#say(copied || document.execCommand('copy') ? 'Copied' : 'Selected');
  }

  #say(word: string): void {
    clearTimeout(this.#timer);
    this.#button.textContent = word;
    this.#timer = setTimeout(() => { this.#button.textContent = 'Copy'; }, said_ms);
  }
}

async function write(text: string): Promise<boolean> {
  if (!('clipboard' in navigator)) return false;
  return navigator.clipboard.writeText(text).then(() => true, () => false);
}
