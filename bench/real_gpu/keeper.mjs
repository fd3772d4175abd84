// The report while it comes to be: on disk after each case, as JSON and as Markdown, whole at any time.
import fs from 'node:fs';
import path from 'node:path';
import { markdown } from './report.mjs';

function writeWhole(file, text) {
  fs.writeFileSync(`${file}.part`, text);
  fs.renameSync(`${file}.part`, file);
}

export class ReportKeeper {
  constructor(folder, { place, quick, seconds_per_task, peers }) {
    this.files = ['json', 'md'].map(ending => path.join(folder, `real_gpu.${ending}`));
    this.report = { version: 1, began_unix_ms: Date.now(), ended: 'running', quick, seconds_per_task, place, gpu: null, device: null, clock: null, limits: { failed: 'not measured yet' }, cases: [], peers };
    this.save();
  }

  // What comes after the end, from work that was given up, is no part of it.
  note(change) {
    if (this.report.ended !== 'running') return;
    Object.assign(this.report, change);
    this.save();
  }

  addCase(row) {
    this.note({ cases: [...this.report.cases, row] });
  }

  addPeers(name, peers) {
    this.note({ cases: this.report.cases.map(row => (row.name === name ? { ...row, peers } : row)) });
  }

  save() {
    const [json, md] = this.files;
    writeWhole(json, `${JSON.stringify(this.report, null, 1)}\n`);
    writeWhole(md, markdown(this.report));
  }
}
