import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { readChainData } from '@weir/chain-store';
import { systemClock } from '@weir/clock';
import { createSignInLink, summarise } from '@weir/console';
import { firstProvider } from '@weir/scoring';
import { subscribeStage, untilSignal } from '@weir/service-kit';
import { lineOf } from '../failure.ts';
import { type AllSettings, loadSettings } from '../settings.ts';
import { print, stdoutClosed } from '../output.ts';
import { styleFor } from '../style.ts';
import { asOwner } from '@weir/installation';
import { type Installation, startInstallation } from '@weir/installation/services';
import { decidedOf, importSample, listSample, replaySample } from './sample.ts';
import { decisionLine, summaryTable } from './terminal.ts';

interface StartFlags {
  port?: number;
  dataDir?: string;
  processes?: number;
  sample: boolean;
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** `stdoutClosed` reports a closed reader. */
const out = (text: string): void => void print(`${text}\n`).catch(() => undefined);

export async function start(flags: StartFlags): Promise<void> {
  process.title = 'weir';
  const settings = loadSettings(flags);
  const began = systemClock.monotonic();
  const stopping = new AbortController();
  const asked = untilSignal().then(() => stopping.abort());
  out(`Weir is starting in ${settings.dataDir} …`);
  const installation = await startInstallation(settings, { signal: stopping.signal });
  out(
    `Ready after ${((systemClock.monotonic() - began) / 1_000).toFixed(1)} s: pipeline ${installation.url}, risk API ${installation.riskUrl}`,
  );
  if (loopback.has(settings.host)) {
    const link = await createSignInLink(installation.pipeline.pool, randomBytes, installation.credentials.tokens.approver);
    out(`Console: ${installation.url}/#sign-in=${link} (signs in once, within ten minutes)`);
  }
  try {
    const show = showDecisions(installation);
    const work = flags.sample
      ? playSample(installation, await show, firstProvider(settings).limits.perSecond, stopping.signal)
      : Promise.resolve();
    const played = work.then(async () => {
      if (!stopping.signal.aborted && settings.upstreamUrl === '') await warnOfChainData(installation, settings);
      if (!stopping.signal.aborted) nextSteps(installation, settings.dataDir);
    });
    await Promise.race([asked, stdoutClosed, installation.failed.catch(giveUp), played.then(() => asked)]);
  } finally {
    stopping.abort();
    out('Stopping …');
    await installation.stop();
  }
}

/** Without the database no orderly stop is possible. Data that is not stored was not acknowledged. */
function giveUp(error: unknown): never {
  process.stderr.write(`weir: ${lineOf(error)}\n`);
  process.exit(1);
}

/** Sample deposits whose decision is not shown yet, and their total. */
interface Shown {
  left: Set<string>;
  total: number;
}

/** Prints each decision when it is published. */
async function showDecisions(installation: Installation): Promise<Shown> {
  const style = styleFor(process.stdout);
  const shown: Shown = { left: new Set(), total: 0 };
  await subscribeStage(installation.pipeline, {
    group: 'terminal',
    topics: ['screenings.decided'],
    begin: 'present',
    handle: async (events) => {
      for (const { data } of events) {
        shown.left.delete(data.screening_id);
        const count = shown.total > 0 ? style.dim(`${String(shown.total - shown.left.size).padStart(4)}/${shown.total}  `) : '';
        out(count + decisionLine(data, style));
      }
    },
  });
  return shown;
}

async function playSample(installation: Installation, shown: Shown, perSecond: number, signal: AbortSignal): Promise<void> {
  const facts = await importSample(installation.ownerUrl, installation.pipeline.clock);
  const sample = await listSample();
  const ids = sample.map(({ id }) => id);
  const before = await decidedOf(installation.pipeline.pool, ids);
  const open = sample.filter(({ id }) => !before.has(id));
  if (open.length > 0) {
    const which = before.size === 0 ? `Its ${ids.length} deposits` : `${open.length} of its ${ids.length} deposits`;
    out(
      `Sample: ${facts.labels} labels and ${facts.transfers} real transfers imported. ${which} are screened now, at most ${perSecond} new questions a second:\n`,
    );
    Object.assign(shown, { left: new Set(open.map(({ id }) => id)), total: ids.length });
    await replaySample(installation, open, signal);
    while (!signal.aborted && (await decidedOf(installation.pipeline.pool, ids)).size < ids.length) await systemClock.sleep(250, signal);
    // The console may know the last decisions shortly before they are shown.
    for (let tries = 0; tries < 20 && shown.left.size > 0 && !signal.aborted; tries += 1) await systemClock.sleep(100, signal);
    shown.total = 0;
  }
  if (signal.aborted) return;
  out(
    `${open.length > 0 ? '\n' : ''}All ${ids.length} deposits of the sample are decided${open.length > 0 ? '' : ' since an earlier start'}. All decisions here by action and level:\n`,
  );
  out(summaryTable(await summarise(installation.pipeline.pool), styleFor(process.stdout)));
}

/** Without chain data every transfer is held, which must not look like a failure. */
async function warnOfChainData({ ownerUrl }: Installation, settings: AllSettings): Promise<void> {
  const { isEmpty, warnings } = await asOwner(ownerUrl, (pool) => readChainData(pool, settings));
  for (const warning of warnings) out(`Warning: ${warning}`);
  if (isEmpty) out('Every transfer is held until you import labels and transfers ("weir labels import", "weir transfers import").');
}

function nextSteps(installation: Installation, dataDir: string): void {
  const credentials = resolve(dataDir, 'dev-credentials.json');
  const token = (role: string): string => `$(node -p 'require("${credentials}").tokens.${role}')`;
  const style = styleFor(process.stdout);
  out(`
${style.bold('Where to look next')}
  Screenings that wait for a person, with every exposure:
    curl -s -H "Authorization: Bearer ${token('auditor')}" '${installation.url}/v1/screenings?action=review'
  Screen a deposit of your own:
    curl -s -X POST ${installation.url}/v1/deposits -H 'Content-Type: application/json' \\
      -H "Authorization: Bearer ${token('ingest')}" \\
      -d '{"deposit_id":"my-1","coin":"ETH","from_address":"0x098B716B8Aaf21512996dC57EB0615e2383E2f96","to_address":"0x28C6c06298d514Db089934071355E5743bf21d60","amount":"1.5"}'
  Ask about an address, and look whether all is well:
    npx weir screen ETH 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 --data-dir ${dataDir}
    npx weir doctor --data-dir ${dataDir}
  Metrics: ${installation.url}/metrics    Risk API: ${installation.riskUrl}/docs    Sandbox targets: ${installation.riskUrl}/sandbox/targets
  Stop with Ctrl-C; the data stays in ${dataDir}.
`);
}
