// Generated from schema/openapi.json by clients/generate. Do not edit.
import type { CallOptions, EventStream, Service } from '../src/service.js';
import type { Open, Outcome, Payload, Problem, DeviceStateKind, ServiceState, DeviceAction, DeviceEventKind, JobKind, JobPhase, JobState, Role, RecordPart, RecordPlace, Fingerprint, Timer, LeaseInfo, DeviceInfo, DeviceEvent, Quota, TokenInfo, JobSource, JobInfo, JobRequest, Devices, DeviceLabelled, DeviceManaged, DeviceShown, JobAccepted, JobProgress, JobDone, JobFailed, CancelAccepted, Jobs, JobShown, FleetWatched, DeviceChanged, JobChanged, Records, Enrolment, Tokens, TokenCreated, TokenRevoked } from './messages.js';

/** What listDevices is asked. */
export interface ListDevicesArguments {
  /** The last device_id of the page before; absent for the first one. */
  after?: string;
}

/** What labelDevice is asked. */
export interface LabelDeviceArguments {
  /** The device. */
  device_id: string;
  /** Its name; empty: none. */
  label: string;
  /** Who does it, where a compile server passes it on. */
  user?: string;
}

/** What manageDevice is asked. */
export interface ManageDeviceArguments {
  /** The device. */
  device_id: string;
  /** What to do. */
  action: DeviceAction;
  /** Why, for people; may be empty. Of drain and quarantine. */
  reason: string;
  /** As of label_device. */
  user?: string;
}

/** What showDevice is asked. */
export interface ShowDeviceArguments {
  /** The device. */
  device_id: string;
}

/** What submitJob is asked. */
export interface SubmitJobArguments {
  /** What to do. */
  job: JobRequest;
  /** True, of a tune: the job is queued with its model, does not end with its client, and goes on after a restart of the service; nothing comes after job_accepted, but attach_job follows it. False when absent. */
  detached?: boolean;
  /** Bytes, as the document says of them. */
  payload?: Blob;
}

/** What listJobs is asked. */
export interface ListJobsArguments {
  /** The `next` of the page before; absent for the first one. */
  before?: number;
}

/** What cancelJob is asked. */
export interface CancelJobArguments {
  /** The job. */
  job: string;
}

/** What attachJob is asked. */
export interface AttachJobArguments {
  /** The job. */
  job: string;
}

/** What showJob is asked. */
export interface ShowJobArguments {
  /** The job. */
  job: string;
}

/** What fetchRecords is asked. */
export interface FetchRecordsArguments {
  /** Which lines. */
  part: RecordPart;
  /** Ids of tasks, 32 hexadecimal digits each. */
  tasks?: Array<string>;
  /** A class of devices. */
  device_key?: string;
  /** What this job measured, and with it what others did of the same tasks on the same device key, so that times can be judged beside each other. */
  job?: string;
  /** The place that the page before said; absent for the first one. */
  after?: RecordPlace;
}

/** What createEnrolment is asked. */
export interface CreateEnrolmentArguments {
  /** The name of the token that the code is exchanged for, for people; may be empty. */
  name: string;
}

/** What listTokens is asked. */
export interface ListTokensArguments {
  /** The last token_id of the page before; absent for the first one. */
  after?: string;
}

/** What createToken is asked. */
export interface CreateTokenArguments {
  /** What it lets its holder do. */
  role: Role;
  /** As of token_info; a submitter has one. */
  name: string;
  /** How long it is good for; 0: until it is revoked. [s] */
  lifetime_s: number;
  /** What its holder may have at once; absent: as much as there is. */
  quota?: Quota;
}

/** What revokeToken is asked. */
export interface RevokeTokenArguments {
  /** As of token_info. */
  token_id: string;
}

/** What rotateToken is asked. */
export interface RotateTokenArguments {
  /** As of token_info. */
  token_id: string;
}

export type SubmitJobEvent =
  | { name: 'job_accepted'; data: JobAccepted }
  | { name: 'job_progress'; data: JobProgress }
  | { name: 'job_done'; data: JobDone }
  | { name: 'job_failed'; data: JobFailed }
  | { name: 'payload'; data: Payload }
  | { name: 'error'; data: Problem };

export type AttachJobEvent =
  | { name: 'job_accepted'; data: JobAccepted }
  | { name: 'job_progress'; data: JobProgress }
  | { name: 'job_done'; data: JobDone }
  | { name: 'job_failed'; data: JobFailed }
  | { name: 'payload'; data: Payload }
  | { name: 'error'; data: Problem };

export type WatchFleetEvent =
  | { name: 'fleet_watched'; data: FleetWatched }
  | { name: 'device_changed'; data: DeviceChanged }
  | { name: 'job_changed'; data: JobChanged }
  | { name: 'error'; data: Problem };

/** Each operation of the service's REST interface. */
export class Api extends Service {
  /** Asks for the fleet, page by page. */
  listDevices(asked?: ListDevicesArguments, options?: CallOptions): Promise<Devices>;
  /** Gives a device a name. */
  labelDevice(asked: LabelDeviceArguments, options?: CallOptions): Promise<DeviceLabelled>;
  /** Takes a device out of service, or back, or forgets it. All but forgetting holds for each id by which the same physical device is known. */
  manageDevice(asked: ManageDeviceArguments, options?: CallOptions): Promise<DeviceManaged>;
  /** Asks for a device and its history. */
  showDevice(asked: ShowDeviceArguments, options?: CallOptions): Promise<DeviceShown>;
  /** Starts a job. After job_accepted come job_progress frames, then job_done or job_failed. */
  submitJob(asked: SubmitJobArguments, options?: CallOptions): Promise<EventStream<SubmitJobEvent> | JobAccepted>;
  /** Asks for the jobs of the client's user, or for everybody's where an admin asks, page by page, one page at a time. */
  listJobs(asked?: ListJobsArguments, options?: CallOptions): Promise<Jobs>;
  /** Stops a job of the client's user, or of anybody where an admin asks: who submitted it or follows it hears its end. It ends with job_failed and the code cancelled, or, where a search has begun, with job_done and what is known by then. */
  cancelJob(asked: CancelJobArguments, options?: CallOptions): Promise<CancelAccepted>;
  /** Follows a job of the client's user, or of anybody where an admin asks. After job_accepted come job_progress frames, as many as the client reads, then job_done or job_failed; of a job that has ended, that at once. The job does not end with this client. */
  attachJob(asked: AttachJobArguments, options?: CallOptions): Promise<EventStream<AttachJobEvent>>;
  /** Asks for a job of the client's user, or of anybody where an admin asks. */
  showJob(asked: ShowJobArguments, options?: CallOptions): Promise<JobShown>;
  /** Asks to be told, from now on, what happens to devices and to the jobs of the client's user, or to everybody's where an admin asks. A client that reads slowly is told less. */
  watchFleet(_nothing?: {}, options?: CallOptions): Promise<EventStream<WatchFleetEvent>>;
  /** Asks for records, page by page, one page at a time. tasks, device_key and job say which attempts; without them, all. */
  fetchRecords(asked: FetchRecordsArguments, options?: CallOptions): Promise<Records>;
  /** Asks for a code that lets one agent in, once. */
  createEnrolment(asked: CreateEnrolmentArguments, options?: CallOptions): Promise<Enrolment>;
  /** Asks for the tokens, page by page. */
  listTokens(asked?: ListTokensArguments, options?: CallOptions): Promise<Tokens>;
  /** Makes a token. */
  createToken(asked: CreateTokenArguments, options?: CallOptions): Promise<TokenCreated>;
  /** Takes a token back: who is connected with it is closed, with the code 4003. */
  revokeToken(asked: RevokeTokenArguments, options?: CallOptions): Promise<TokenRevoked>;
  /** Gives a token's id, role and name another secret; the earlier one ends as by revoke_token. */
  rotateToken(asked: RotateTokenArguments, options?: CallOptions): Promise<TokenCreated>;
}
