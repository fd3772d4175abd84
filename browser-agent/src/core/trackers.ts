// Trackers: where the trackers of a farm are, for an agent that looks for the one that has it. An agent starts with the one whose page it is.
export class Trackers {
  readonly #first: string;
  #known: readonly string[];
  #at = 0;
  #current: string;

  constructor(first: string) {
    this.#first = first;
    this.#known = [first];
    this.#current = first;
  }

  get current(): string {
    return this.#current;
  }

  // What a tracker says of its farm; takes the place of what was said before. What is no origin is left out.
  know(origins: readonly string[]): void {
    this.#known = [...new Set([this.#first, ...origins.filter(isOrigin)])];
    this.#at = Math.max(0, this.#known.indexOf(this.#current));
  }

  // The current one said who has the farm, besides that it has not.
  goTo(origin: string): void {
    if (isOrigin(origin)) this.#current = origin;
  }

  // The current one does not have the farm, or does not answer: the next.
  failed(): void {
    this.#at = (this.#at + 1) % this.#known.length;
    this.#current = this.#known[this.#at]!;
  }
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/@]+$/.test(text);
}
