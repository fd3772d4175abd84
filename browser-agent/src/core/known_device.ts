// What is known of a device that was open before, so that it is not measured again when it is opened anew.
import type { Fingerprint, Timer } from '../generated/protocol.ts';
import type { WorkSetting } from './reference_work.ts';
import { signatureOf, type Signature } from './signature.ts';

export interface KnownDevice {
  signature: Signature;
  timer: Timer;
  work: WorkSetting | undefined;   // of its reference kernel; absent where that is set anew each time
  note: string;                    // a sentence for people
}

export function knownOf(opened: { fingerprint: Fingerprint; timer: Timer; work: WorkSetting | undefined; note: string }): KnownDevice {
  const { fingerprint, timer, work, note } = opened;
  return { signature: signatureOf(fingerprint), timer, work, note };
}
