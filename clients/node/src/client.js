// Client: a hone service, as programs see it. Each operation of generated/api.js, and what goes over pages, streams and files.
import fs from 'node:fs/promises';
import path from 'node:path';
import { Api } from '../generated/api.js';
import { BrokenReplyError, HoneError } from './errors.js';
import { FleetEvents } from './fleet_events.js';
import { Job } from './job.js';
import { LIMITS } from './limits.js';

const DTYPES = { bool: 'bool', int8: 'i8', int16: 'i16', int32: 'i32', int64: 'i64', uint8: 'u8', uint16: 'u16', uint32: 'u32', uint64: 'u64', float16: 'f16', float32: 'f32', float64: 'f64' };

// All items of a list. `fetchPage` gets where a page begins, undefined for the first one, and returns its items and where the next one does.
async function* pages(fetchPage) {
  let place;
  for (let count = 0; count < LIMITS.pagesMax; count++) {
    const { items, next } = await fetchPage(place);
    yield* items;
    if (next === undefined) return;
    if (JSON.stringify(next) === JSON.stringify(place)) break;
    place = next;
  }
  throw new BrokenReplyError("the service's list has no end");
}

async function readModel(model) {
  if (typeof model !== 'string') return model;
  try {
    return await fs.readFile(model);
  } catch (error) {
    throw new HoneError(error.code === 'ENOENT' ? 'not_found' : 'io_error', `${model}: ${error.code}`, { cause: error });
  }
}

const inputSaid = ({ name, dtype, shape, constant }) => ({ name, dtype: DTYPES[dtype] ?? dtype, shape: [...shape], ...(constant ? { constant } : {}) });

// The message, and the payload: the model, and the inputs behind it.
async function jobOf({ op, model, modelName, inputs = [], seed = 1, options, ...asked }) {
  if ((op === undefined) === (model === undefined)) throw new HoneError('invalid_argument', 'a job has an op or a model');
  const job = { dims: {}, selector: '', trials: 0, time_s: 0, ...asked, source: { op }, seed: BigInt.asUintN(64, BigInt(seed)).toString(16).padStart(16, '0'), options };
  if (op !== undefined) return { job };
  const bytes = await readModel(model);
  job.source = { model_name: modelName ?? (typeof model === 'string' ? path.basename(model) : 'model.onnx') };
  if (asked.kind === 'run' || asked.kind === 'bench') job.options = { ...options, model_bytes: bytes.length, inputs: inputs.map(inputSaid) };
  return { job, payload: new Blob([bytes, ...inputs.map(one => one.data)]) };
}

export class Client extends Api {
  devices() {
    return pages(async after => {
      const { devices, more } = await this.listDevices({ after });
      return { items: devices, next: more ? devices.at(-1)?.device_id : undefined };
    });
  }

  jobs() {
    return pages(async before => {
      const { jobs, next } = await this.listJobs({ before });
      return { items: jobs, next };
    });
  }

  records(part = 'attempts', which = {}) {
    return pages(async after => {
      const { lines, next } = await this.fetchRecords({ part, ...which, after });
      return { items: lines, next };
    });
  }

  tokens() {
    return pages(async after => {
      const { tokens, more } = await this.listTokens({ after });
      return { items: tokens, next: more ? tokens.at(-1)?.token_id : undefined };
    });
  }

  async start(asked, options) {
    const said = await this.submitJob(await jobOf(asked), options);
    if (typeof said.next !== 'function') throw new BrokenReplyError('the service keeps the job, and does not tell its progress');
    return Job.of(said);
  }

  async detach(asked, options) {
    const said = await this.submitJob({ ...await jobOf(asked), detached: true }, options);
    if (typeof said.job === 'string') return said.job;
    said.close();
    throw new BrokenReplyError('the service tells the progress of a job that it was to keep');
  }

  async follow(job, options) {
    return Job.of(await this.attachJob({ job }, options));
  }

  async events(options) {
    return FleetEvents.of(await this.watchFleet({}, options));
  }
}
