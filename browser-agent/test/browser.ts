import path from 'node:path';
import { Chromium } from './chromium.ts';
import { FakeService } from './fake_service.ts';
import { candidate, policy, SquareProduct } from './square_product.ts';
import { writeFileSync } from 'node:fs';

const service = await FakeService.start(path.resolve('dist'));
const chromium = await Chromium.launch();
try {
  await chromium.open(service.page);
  const hello = await service.hello();
  console.log(JSON.stringify(hello).slice(0, 3000));
  await service.openSession();
  const product = new SquareProduct(64);
  const blob = service.addBlob(Buffer.from(product.reference().buffer));
  console.log(await service.prepare({ kind: 'prepare_task', id: 7, task: 'ab'.repeat(16), buffers: product.buffers(), expected: { outputs: [blob] }, tolerance: 1e-5 }));
  const results = await service.measure({ kind: 'measure', batch: 1, fence: 1, task: 'ab'.repeat(16), policy, candidates: [
    candidate(1, product.launch()),
    candidate(2, product.launch({ sum: 'sum += a[k] * b[j];' })),
    candidate(3, product.launch({ prologue: 'if (i >= 32u) { return; }' })),
    candidate(4, product.launch({ store: 'c[i] = nonsense;' })),
  ] });
  for (const r of results) console.log(JSON.stringify(r));
  console.log(await chromium.evaluate('document.body.innerText'));
  writeFileSync('/tmp/agent/status.png', await chromium.screenshot());
} finally {
  console.log(chromium.console_lines.join('\n'));
  await chromium.close();
  service.close();
}
