// Outcomes: those of the devices' work (browser-runtime/src/device/outcome.ts) are those of everything here.
export { failure, success, type Attempt, type OutcomeName } from '../../../browser-runtime/src/device/outcome.ts';
