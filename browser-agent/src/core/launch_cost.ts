// What one launch more costs a run, whatever it computes: the browser's checks, the driver's work, the gap on the device. Runs of many of the smallest
// launches, each of which waits for the one before, against runs of few, by wall time: the slope leaves out what a run costs once.
const few = 64, many = 320;  // 256 launches of 1 µs between them are two steps of the coarsest clock that browsers have, 100 µs
const runs = 5;              // of each; the fastest counts, because other work only adds to it

const steps = 6;             // of a decade: 1, 1.5, 2.2, 3.2, 4.6, 6.8; finer, a device would describe itself anew each time it comes

// timeNs: wall time from submitting so many launches to their end. Microseconds, in steps of 47 %; undefined where the clock tells no difference.
export async function launchUs(timeNs: (launches: number) => Promise<number>): Promise<number | undefined> {
  const fastest = { few: Infinity, many: Infinity };
  await timeNs(many);   // drivers compile in the first one
  for (let run = 0; run < runs; run++) {
    fastest.few = Math.min(fastest.few, await timeNs(few));
    fastest.many = Math.min(fastest.many, await timeNs(many));
  }
  const us = (fastest.many - fastest.few) / (many - few) / 1000;
  return us > 0 ? Number((10 ** (Math.round(Math.log10(us) * steps) / steps)).toPrecision(2)) : undefined;
}
