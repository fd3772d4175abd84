import type { AgentPicture } from '../core/agent.ts';
export class StatusView {
  constructor(private readonly root: HTMLElement) {}
  show(picture: AgentPicture): void { this.root.textContent = JSON.stringify(picture, null, 1); }
  showMissingToken(): void { this.root.textContent = 'no token'; }
  showBroken(why: string): void { this.root.textContent = why; }
}
