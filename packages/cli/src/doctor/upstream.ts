import { join } from 'node:path';
import type { Clock } from '@weir/clock';
import { firstProvider, openProvider, type ProviderSettings, secondProvider } from '@weir/scoring';
import { lineOf } from '../failure.ts';
import { findRunning, readCredentials } from '@weir/installation';
import type { AllSettings } from '../settings.ts';
import { type Finding, ok, remark, wrong } from './finding.ts';

const check = 'risk API';
/** No task has this id. The query is free, and needs the key. */
const unknownTasks: Readonly<Record<ProviderSettings['kind'], string>> = {
  specified: 'weir-doctor',
  misttrack: 'weir-doctor',
  chainalysis: 'transfers/weir-doctor',
  elliptic: 'wallet/00000000-0000-4000-8000-000000000000',
};

/** Calls the configured providers of risk scores with their keys. */
export async function examineUpstream(settings: AllSettings, clock: Clock): Promise<Finding[]> {
  try {
    const found = upstreamOf(settings);
    const first = 'check' in found ? [found] : await call(found.name, firstProvider(found.settings), { settings, clock });
    const second = secondProvider(settings);
    return second === undefined ? first : [...first, ...(await call(new URL(second.url).host, second, { settings, clock }))];
  } catch (error) {
    return [wrong(check, lineOf(error))];
  }
}

async function call(name: string, of: ProviderSettings, { settings, clock }: { settings: AllSettings; clock: Clock }): Promise<Finding[]> {
  const capped = of.capped.map((line) => remark(check, line));
  return [...(await examine(name, of, { settings, clock })), ...capped];
}

async function examine(
  name: string,
  of: ProviderSettings,
  { settings, clock }: { settings: AllSettings; clock: Clock },
): Promise<Finding[]> {
  const { provider, client } = openProvider(of, { clock });
  const answer = await provider.follow(unknownTasks[of.kind]);
  switch (answer.kind) {
    case 'not_found':
    case 'running':
    case 'scored':
    case 'no_data': {
      const readiness = await client?.readiness();
      const warnings = readiness?.kind === 'ready' && settings.upstreamUrl !== '' ? readiness.warnings : [];
      return [ok(check, `${name} answers, and takes the key`), ...warnings.map((warning) => remark(check, `${name} warns: ${warning}`))];
    }
    case 'rejected':
      return [wrong(check, `${name} refuses a call with this key: ${answer.code}`)];
    case 'limited':
      return [remark(check, `${name} answers; the limit of a ${answer.window} is reached`)];
    case 'unsupported':
    case 'invalid':
      return [remark(check, `${name} answers, but not to the query of a task that is not there: ${answer.code}`)];
    case 'unavailable':
      return [wrong(check, `${name} does not answer: ${answer.reason} ${answer.detail}`)];
  }
}

/** The API and its key, or the reason why it cannot be called. */
function upstreamOf(settings: AllSettings): { name: string; settings: AllSettings } | Finding {
  if (settings.upstreamUrl !== '') return { name: new URL(settings.upstreamUrl).host, settings };
  const running = findRunning(settings.dataDir);
  if (running === undefined) return remark(check, 'our own; it does not run, so it was not called');
  const { standard_api_key: upstreamApiKey } = readCredentials(join(settings.dataDir, 'dev-credentials.json'));
  if (upstreamApiKey === undefined) return wrong(check, 'our own, and its key is not in dev-credentials.json; the next start creates it');
  return { name: 'our own', settings: { ...settings, upstreamUrl: running.riskUrl, upstreamApiKey, upstreamKeyIn: 'header' } };
}
