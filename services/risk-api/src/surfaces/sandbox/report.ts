import { findCoin } from '@weir/chains';
import { exposureParts, type Report } from '@weir/risk-report';
import { sandboxTargets } from './targets.ts';
import type { SandboxQuery } from '../../reports/query.ts';

/** The report of a predefined result, without anything that looks computed. Undefined for an unknown target. */
export function sandboxReport(query: SandboxQuery, made: { readonly atMs: number; readonly version: string }): Report | undefined {
  const target = sandboxTargets.find(({ address, txid }) => query.sandbox === address || query.sandbox === txid);
  if (target === undefined) return undefined;
  const direction = query.direction ?? 'deposit';
  return {
    chain: findCoin(target.coin)?.chain ?? target.coin,
    kind: target.address === undefined ? 'txid' : 'address',
    subject: target.address ?? target.txid ?? '',
    coin: target.coin,
    direction,
    scannedAtMs: undefined,
    lostScanAtMs: undefined,
    madeAtMs: made.atMs,
    version: made.version,
    sandbox: target.why,
    score: target.score,
    level: target.risk_level,
    coverage: 'full',
    detail_list: target.detail_list.filter((detail) => detail !== '-'),
    hacking_event: target.hacking_event,
    address_label: target.address_label[direction],
    grounds: undefined,
    worstAddress: undefined,
    ...exposureParts(target.risk_detail),
    labels: [],
    contradictions: [],
    uncountedLabels: [],
  };
}
