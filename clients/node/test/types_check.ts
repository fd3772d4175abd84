// What the declarations promise, as a program of TypeScript uses it. It is compiled (scripts/lint), never run.
import { Client, HoneError, JobError, type DeviceInfo, type JobPhase, type JobProgress } from '../index.js';

export async function uses(url: string): Promise<number> {
  const client = new Client(url, { tokenFile: 'token', replyTimeMs: 1000 });
  const names: string[] = [];
  for await (const device of client.devices()) names.push((device satisfies DeviceInfo).label ?? device.device_id);
  await client.manageDevice({ device_id: names[0]!, action: 'drain', reason: 'a test' });
  const job = await client.start({ kind: 'tune', op: 'matmul:8x8x8', target: 'native', trials: 8, options: { samples: 3 } }, { signal: AbortSignal.timeout(1000) });
  const phases: Array<JobPhase | (string & {})> = [];
  for await (const progress of job) phases.push((progress satisfies JobProgress).phase);
  const run = await client.start({ kind: 'run', model: new Uint8Array(8), target: 'native', inputs: [{ name: 'x', dtype: 'f32', shape: [1], data: new Uint8Array(4) }] });
  for (const output of run.outputs()) names.push(output.name, output.dtype);
  const events = await client.events();
  for await (const event of events) if (event.name === 'job_changed') names.push(event.data.job.state);
  const { next } = await client.fetchRecords({ part: 'attempts', job: job.id });
  return (next?.row ?? 0) + names.length;
}

export const codeOf = (error: unknown): string => (error instanceof JobError ? error.job : error instanceof HoneError ? error.code : '');

export async function isRefused(client: Client): Promise<void> {
  // @ts-expect-error a job has a source
  await client.start({ kind: 'tune', target: 'native' });
  // @ts-expect-error and one alone
  await client.start({ kind: 'tune', target: 'native', op: 'matmul:8x8x8', model: 'm.onnx' });
  // @ts-expect-error only a search is left with the service
  await client.detach({ kind: 'run', target: 'native', model: 'm.onnx' });
}
