// How much of a service's answers is taken, and how long is waited for them. Whoever runs a service, or stands before it, may answer anything.

export const LIMITS = {
  replyBytesMax: 32 << 20,  // of a reply's JSON. A page of records has 1 MiB, and its last line at most 4 more; a job's result is smaller
  eventBytesMax: 32 << 20,  // of one event, or of a line that is a comment: the last event of a job has its result
  payloadBytesMax: 256 << 20,  // of what a run computed. The service itself keeps no more for one client
  replyTimeMs: 60_000,  // until a reply is there, as a whole; of a stream, until it begins
  sendBytesPerMsMin: 128,  // a model that is sent more slowly has no such time: fetch does not tell how far it is
  quietTimeMs: 60_000,  // without a byte on a stream. The service says a comment every 15 s
  pagesMax: 1_000_000,  // of a list. Pages that never end are no list
  tokenFileBytesMax: 128,
};
