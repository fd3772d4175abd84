// What the page and the agent's worker say to each other.
import type { AgentPicture } from './agent.ts';
import type { Resume } from './control.ts';
import type { DeviceChoice, TargetChoice } from '../device/backend.ts';

export type { DeviceChoice, Resume, TargetChoice };

export type ToAgent =
  | { kind: 'start'; token: string; code: string | undefined; agent_name: string; launch_id: string | undefined; resume: Resume | undefined; launch_flags: string[] | undefined; physical_id: string | undefined; choice: DeviceChoice }
  | { kind: 'visible'; visible: boolean };

export type FromAgent =
  | { kind: 'picture'; picture: AgentPicture }
  | { kind: 'resume'; resume: Resume }
  | { kind: 'token'; token: string };   // the agent's own, to be kept
