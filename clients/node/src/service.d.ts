export interface ClientOptions {
  /** 32 hexadecimal digits; else what `tokenFile` holds, else HONE_TOKEN. */
  token?: string;
  tokenFile?: string;
  /** Until a reply is there, as a whole; of a stream, until it begins. 60,000 when absent. */
  replyTimeMs?: number;
  /** Without a byte on a stream. 60,000 when absent; the service says a comment every 15 s. */
  quietTimeMs?: number;
}

export interface CallOptions {
  /** Ends the request, and its stream. */
  signal?: AbortSignal;
}

/** The events of one reply. Its connection ends with `close`, or with the loop that reads it. */
export class EventStream<Event> implements AsyncIterableIterator<Event> {
  next(): Promise<IteratorResult<Event, undefined>>;
  return(value?: undefined): Promise<IteratorResult<Event, undefined>>;
  close(): void;
  [Symbol.asyncIterator](): this;
}

export class Service {
  /** `url` without a token, such as http://127.0.0.1:9190. */
  constructor(url: string, options?: ClientOptions);
  readonly url: string;
}
