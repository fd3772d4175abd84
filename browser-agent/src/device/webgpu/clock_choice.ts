// Which clock times a device's kernels: its own stamps where they are there and tell the truth, else the wall's.
import type { KnownDevice } from '../../core/known_device.ts';
import { clockRatio, isAgreement } from '../../core/reading.ts';
import type { WorkSetting } from '../../core/reference_work.ts';
import type { ClockChoice } from '../backend.ts';
import type { GpuWait } from '../../../../browser-runtime/src/device/webgpu/wait.ts';
import { TimestampClock, WallClock, type GpuClock } from './clock.ts';
import type { ReferenceKernel } from './reference_kernel.ts';

// over_wall: what the stamps said of some work over what the wall clock said; absent where there are none. note: a sentence for people, or empty.
export interface ChosenClock {
  clock: GpuClock;
  over_wall?: number;
  note: string;
}

// The reference kernel is set to work that is long against the clock's step.
export async function chooseClock(device: GPUDevice, wait: GpuWait, reference: ReferenceKernel, choice: ClockChoice, known?: KnownDevice): Promise<ChosenClock> {
  if (known?.work !== undefined) return asBefore(device, wait, reference, known.work, known);
  const wall = new WallClock(device, wait);
  if (choice === 'wall' || !device.features.has('timestamp-query')) return byWall(wall, reference, { note: '' });
  await reference.calibrateRoughly(wall);
  const stamps = new TimestampClock(device, wait), over_wall = await clockRatio(works => stamps.read(reference.work(works)));
  if (!isAgreement(over_wall)) {
    stamps.dispose();
    return byWall(wall, reference, { over_wall, note: 'The GPU\'s timestamps do not agree with the wall clock, so times are slopes of wall times.' });
  }
  await stamps.measureQuantum(reference.work(1));
  await reference.calibrate(stamps);
  return { clock: stamps, over_wall, note: '' };
}

function asBefore(device: GPUDevice, wait: GpuWait, reference: ReferenceKernel, work: WorkSetting, { timer, note }: KnownDevice): ChosenClock {
  reference.use(work);
  if (timer.method !== 'timestamp') return { clock: new WallClock(device, wait), note };
  const stamps = new TimestampClock(device, wait);
  stamps.quantum_ns = timer.quantum_ns;
  return { clock: stamps, note };
}

async function byWall(clock: GpuClock, reference: ReferenceKernel, why: Omit<ChosenClock, 'clock'>): Promise<ChosenClock> {
  await reference.calibrate(clock);
  return { clock, ...why };
}
