// OtherWork: how often other work was beside a candidate's samples of late, on a device that nothing else tells of. The more there is, the more
// often a few samples are all beside it, alike by accident: then one more must agree with them.
const window_max = 16;         // rounds of samples
const often = 1 / 8;           // of them: samples that nothing disturbs disagree in one round of a hundred

export class OtherWork {
  #disturbed: boolean[] = [];

  // Of a round of samples, whether they disagreed.
  note(disturbed: boolean): void {
    this.#disturbed.push(disturbed);
    if (this.#disturbed.length > window_max) this.#disturbed.shift();
  }

  // Samples that must agree besides those that were asked for.
  get samples_more(): number {
    return this.#disturbed.filter(disturbed => disturbed).length > often * window_max ? 1 : 0;
  }
}
