// IdleTextures: those arguments of all tasks that no candidate uses at the moment, as far as there is room: the next candidate may want them again.
export class IdleTextures<Argument> {
  #bytes = 0;
  readonly #idle = new Map<Argument, { bytes: number; drop: () => void }>();   // those used last stand last

  constructor(private readonly bytes_max: number) {}

  add(argument: Argument, bytes: number, drop: () => void): void {
    this.#idle.set(argument, { bytes, drop });
    this.#bytes += bytes;
    for (const [oldest, { drop: dropOldest }] of this.#idle) {
      if (this.#bytes <= this.bytes_max) return;
      this.remove(oldest);
      dropOldest();
    }
  }

  remove(argument: Argument): void {
    this.#bytes -= this.#idle.get(argument)?.bytes ?? 0;
    this.#idle.delete(argument);
  }
}
