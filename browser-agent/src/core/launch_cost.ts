// What one launch more costs a run, whatever it computes: the browser's checks, the driver's work, the gap on the device. Runs of many of the smallest
// launches, each of which waits for the one before, against runs of few, by wall time: the slope leaves out what a run costs once.
const few = 64, many = 320;  // 256 launches of 1 µs between them are two steps of the coarsest clock that browsers have, 100 µs
const runs = 5;              // of each; the fastest counts, because other work only adds to it
const spent_ns_max = 1e9;    // fewer on a device so slow or busy: the watchdog counts in seconds

const steps = 6;             // of a decade: 1, 1.5, 2.2, 3.2, 4.6, 6.8; finer, a device would describe itself anew each time it comes

// timeNs: wall time from submitting so many launches to their end. Microseconds, in steps of 47 %; undefined where the clock tells no difference.
export async function launchUs(timeNs: (launches: number) => Promise<number>): Promise<number | undefined> {
  const fastest = { few: Infinity, many: Infinity };
  await timeNs(many);   // drivers compile in the first one
  for (let run = 0, spent_ns = 0; run < runs && spent_ns < spent_ns_max; run++) {
    const few_ns = await timeNs(few), many_ns = await timeNs(many);
    fastest.few = Math.min(fastest.few, few_ns);
    fastest.many = Math.min(fastest.many, many_ns);
    spent_ns += few_ns + many_ns;
  }
  const us = (fastest.many - fastest.few) / (many - few) / 1000;
  return us > 0 ? Number((10 ** (Math.round(Math.log10(us) * steps) / steps)).toPrecision(2)) : undefined;
}
