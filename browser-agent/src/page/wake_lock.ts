// WakeLock: keeps a phone's or laptop's screen on while a job holds the device; a dark screen would hide the page and stop its timings.
export class WakeLock {
  #wanted = false;
  #lock: WakeLockSentinel | undefined;

  constructor() {
    // The browser drops the lock whenever the page is hidden.
    document.addEventListener('visibilitychange', () => void this.#update());
  }

  hold(wanted: boolean): void {
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    void this.#update();
  }

  async #update(): Promise<void> {
    if (!this.#wanted) {
      const lock = this.#lock;
      this.#lock = undefined;
      return lock?.release();
    }
    if (document.visibilityState !== 'visible' || this.#lock?.released === false || !('wakeLock' in navigator)) return;
    // Refused on a low battery, for one: then the screen goes dark, no more.
    this.#lock = await navigator.wakeLock.request('screen').catch(() => undefined);
  }
}
