import { type Readiness, readinessView, type serviceNames } from '@weir/service-kit';
import type { ForwardSettings } from '../forward/config.ts';
import type { HealthSettings } from './config.ts';
import type { PartView } from './view.ts';

/** A service in another process. With replicas, its address leads to one of them. */
export interface Part {
  readonly service: (typeof serviceNames)[number];
  readonly url: string;
}

/** A probe of Kubernetes has the same limit. */
const limitMs = 3_000;

const settingsOf = ({ ingestUrl, gateUrl, scoringUrl, decisionUrl, auditUrl }: HealthSettings & ForwardSettings) =>
  [
    { service: 'deposit-ingest', setting: 'WEIR_INGEST_URL', url: ingestUrl },
    { service: 'withdrawal-gate', setting: 'WEIR_GATE_URL', url: gateUrl },
    { service: 'scoring', setting: 'WEIR_SCORING_URL', url: scoringUrl },
    { service: 'decision', setting: 'WEIR_DECISION_URL', url: decisionUrl },
    { service: 'audit-writer', setting: 'WEIR_AUDIT_URL', url: auditUrl },
  ] as const;

/** The services whose addresses are set: none where all are one process. */
export function partsOf(settings: HealthSettings & ForwardSettings): Part[] {
  return settingsOf(settings).flatMap(({ service, url }) => (url === '' ? [] : [{ service, url }]));
}

/** A line for each service whose health a console that runs by itself cannot tell, beyond those of `unreachable`. */
export function unseen(settings: HealthSettings & ForwardSettings): string[] {
  return settingsOf(settings).flatMap(({ service, setting, url }) =>
    url === '' && (setting === 'WEIR_INGEST_URL' || setting === 'WEIR_GATE_URL')
      ? [`${setting} is not set: the console does not show the health of ${service}`]
      : [],
  );
}

/** This process first. It resolves within some seconds, whatever the others do. */
export async function readHealth(own: Readiness, parts: readonly Part[]): Promise<PartView[]> {
  const [mine, ...others] = await Promise.all([own.read(), ...parts.map(askPart)]);
  const { status = 'not ready', unavailable = [], degraded = [], warnings = [] } = mine ?? {};
  return [{ service: own.process, state: stateOf(status), unavailable, degraded, warnings }, ...others];
}

async function askPart({ service, url }: Part): Promise<PartView> {
  const silent: PartView = { service, state: 'away', unavailable: [], degraded: [], warnings: [] };
  const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(limitMs), redirect: 'error' })
    .then((response) => response.json())
    .catch(() => undefined);
  const read = readinessView.safeParse(answer);
  if (!read.success) return silent;
  const { status, unavailable, degraded = [], warnings = [] } = read.data;
  return { service, state: stateOf(status), unavailable, degraded, warnings };
}

function stateOf(status: 'ready' | 'not ready'): PartView['state'] {
  return status === 'ready' ? 'ready' : 'not_ready';
}
