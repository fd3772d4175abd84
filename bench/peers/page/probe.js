// Is there a GPU yet? A kernel that does not end, or whose compilation does not, holds up whoever asks.
export async function answer() {
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  device.queue.submit([]);
  await device.queue.onSubmittedWorkDone();
  device.destroy();
  return true;
}
