import { Api, type WatchFleetEvent } from '../generated/api.js';
import type { DeviceInfo, JobInfo, JobKind, JobRequest, RecordPart, TokenInfo } from '../generated/messages.js';
import type { Job } from './job.js';
import type { CallOptions, EventStream } from './service.js';

export interface TuneOptions {
  strategy?: string;
  /** Of one candidate. */
  samples?: number;
  cache?: 'hot' | 'cold' | 'model';
}
export interface RunOptions {
  /** Compares the outputs with the reference. */
  check?: boolean;
  /** Timed runs. */
  repeats?: number;
  /** A run takes one. */
  schedules?: Array<'best' | 'seed' | 'naive'>;
  /** Of the timed runs of one choice. */
  time_s?: number;
  /** A bench tells how long each task takes. */
  launches?: boolean;
  /** A run tells where each node ran. */
  placements?: boolean;
}
export interface CompareOptions {
  /** Each the hash of a record's source, or the beginning of one, or best, seed or naive. */
  schedules: string[];
  task?: string;
  rounds?: number;
  cache?: 'hot' | 'cold' | 'model';
}

/** An input of a run: elements, row-major and little-endian. */
export interface Input {
  name: string;
  /** f32, i64, …, or float32, int64, … */
  dtype: string;
  shape: ArrayLike<number> & Iterable<number>;
  data: Uint8Array;
  /** It becomes a part of the model: shapes may follow from it. */
  constant?: boolean;
}

/** What a job is asked: an operator, or a model. The rest as of JobRequest; what is absent is the service's default. */
export type JobAsked = Partial<Omit<JobRequest, 'kind' | 'source' | 'target' | 'seed' | 'options'>> & {
  kind: Exclude<JobKind, 'verify'>;
  target: string;
  seed?: number | bigint;
  options?: TuneOptions | RunOptions | CompareOptions;
} & ({ op: string; model?: undefined } | { op?: undefined; model: string | Uint8Array; modelName?: string; inputs?: Input[] });

export interface RecordsAsked {
  job?: string;
  tasks?: string[];
  device_key?: string;
}
export type FleetEvent = Extract<WatchFleetEvent, { name: 'device_changed' | 'job_changed' }>;

/** A hone service. Each operation of its REST interface is a method; these go over pages, streams and files. */
export class Client extends Api {
  /** Those that are gone, too: `state` says so. */
  devices(): AsyncGenerator<DeviceInfo, void>;
  /** The latest first. */
  jobs(): AsyncGenerator<JobInfo, void>;
  /** As they stand in lines of `hone records export` (schema/cli/record.json). */
  records(part?: RecordPart, which?: RecordsAsked): AsyncGenerator<Record<string, any>, void>;
  tokens(): AsyncGenerator<TokenInfo, void>;
  /** Begins a job that ends with its connection. */
  start(asked: JobAsked, options?: CallOptions): Promise<Job>;
  /** Leaves a search with the service, which goes on also after it was started anew. Gives the job's id. */
  detach(asked: JobAsked & { kind: 'tune' }, options?: CallOptions): Promise<string>;
  /** Follows a job from where it is now; of one that has ended, its end. */
  follow(job: string, options?: CallOptions): Promise<Job>;
  /** What happens to devices and jobs, from when the promise is kept. */
  events(options?: CallOptions): Promise<EventStream<FleetEvent>>;
}
