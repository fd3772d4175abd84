// The run of scripts/real_gpu: limits, then each case, then the comparison with others. What fails is a line of the report.
import { openBrowser, prepareWorks } from '../peers/prepare.mjs';
import { startService } from '../service.mjs';
import { measureCase } from './measure.mjs';
import { gpuName } from './report.mjs';

const firstLine = error => String(error?.message ?? error).split('\n')[0].slice(0, 300);

// {failed} where it throws; a browser that answers no more is replaced.
async function attempted(browser, step) {
  try {
    return await step();
  } catch (error) {
    if (!(await browser.answers())) await browser.renew();
    return { failed: firstLine(error) };
  }
}

async function measureLimits(browser) {
  const page = await browser.page();
  try {
    await page.load('/page/limits.js');
    return await page.call('measure');
  } finally {
    await page.close();
  }
}

async function noteLimits(browser, keeper, log) {
  const found = await attempted(browser, () => measureLimits(browser));
  if (found.failed) return keeper.note({ limits: found });
  const { fingerprint: { vendor, architecture, device, description }, software, clock, ...limits } = found, gpu = { vendor, architecture, device, description, software };
  log(`GPU: ${gpuName(gpu)}: ${software ? 'a software one, so this says nothing of real ones' : 'no software one, as far as it says'}`);
  keeper.note({ gpu, clock, limits });
}

// Times and limits must be of one GPU, where a machine has several.
async function measuredCase(work, { service, seconds, keeper }) {
  const { limits, gpu } = keeper.report, { device: { key, ...device }, row } = await measureCase(work, { hone: service.hone, limits, seconds });
  if (gpu && gpuName(gpu) !== gpuName(device)) throw new Error(`it was tuned on ${gpuName(device)}, and the limits are of ${gpuName(gpu)}: leave one GPU to choose from`);
  if (keeper.report.device === null) keeper.note({ device });
  return { key, row };
}

async function measureCases(works, parts) {
  const tuned = [], { browser, keeper, log } = parts;
  let key;
  for (const work of works) {
    log(`${work.name}: tuning`);
    const found = await attempted(browser, () => measuredCase(work, parts));
    if (!found.failed) tuned.push(work);
    key ??= found.key;
    keeper.addCase({ name: work.name, ...(found.row ?? found) });
    log(`${work.name}: ${found.failed ?? `${(found.row.us / 1e3).toPrecision(3)} ms`}`);
  }
  return { tuned, key };
}

// Where a browser is there: others do not run in Node.js.
async function compare({ tuned, key }, parts) {
  const { comparePeers } = await import('./peers.mjs');
  await comparePeers(tuned, { ...parts, key, hone: parts.service.hone, onCase: (work, peers) => parts.keeper.addPeers(work.name, peers) });
}

async function measureOn(browser, works, parts) {
  const { service, place, keeper, log } = parts;
  keeper.note({ place: { ...place, version: browser.version } });
  await noteLimits(browser, keeper, log);
  await browser.openAgent(`${service.url}&target=webgpu`);
  const cases = await measureCases(works, { ...parts, browser });
  if (keeper.report.peers.skipped || cases.tuned.length === 0) return;
  const { failed } = (await attempted(browser, () => compare(cases, { ...parts, browser }))) ?? {};
  if (failed) keeper.note({ peers: { skipped: failed } });
}

// Resolves when all is measured or `interrupted` resolves, or when nothing more can be: the report says which.
export async function measureAll(works, parts) {
  const { place, db, folder, keeper, interrupted } = parts;
  let service, browser;
  const all = async () => {
    prepareWorks(works, folder);
    service = await startService(db);
    browser = await openBrowser(folder, place.browser, {}, { gpu: true });
    await measureOn(browser, works, { ...parts, service });
  };
  try {
    const ended = await Promise.race([all().then(() => 'complete'), interrupted.then(() => 'interrupted')]);
    keeper.note({ ended });
  } catch (error) {
    keeper.note({ ended: 'failed', failure: firstLine(error) });
  } finally {
    await browser?.close();
    await service?.close();
  }
}
