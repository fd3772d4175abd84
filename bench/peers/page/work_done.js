// Waiting for a queue. Firefox notices finished work on a 100 ms poll or at the next submit: empty submits end that wait, for all peers alike, as they do in hone's
// agent (browser-agent/src/device/webgpu/wait.ts).
const polls = /Firefox/.test(navigator.userAgent), EAGER_TICKS = 20;
const channel = polls ? new MessageChannel() : undefined;

const tick = () => new Promise(done => {
  channel.port1.onmessage = done;
  channel.port2.postMessage(0);
});
const nap = () => new Promise(done => setTimeout(done, 1));

export async function workDone(queue) {
  const finished = queue.onSubmittedWorkDone();
  let over = !polls;
  finished.catch(() => {}).then(() => { over = true; });
  for (let i = 0; !over; i++) {
    queue.submit([]);
    await (i < EAGER_TICKS ? tick() : nap());
  }
  return finished;
}
