import { type ChainDataSettings, readChainData } from '@weir/chain-store';
import { chains } from '@weir/chains';
import type { Queryable } from '@weir/postgres';
import { Gauge, type Registry } from 'prom-client';

export const defaultChainDataSettings: ChainDataSettings = {
  labelsMaxAgeMs: 604_800_000,
  transfersMaxAgeMs: 86_400_000,
  requiredChains: '',
};

const knownChains = (value: unknown): void => {
  const names = value === '' ? [] : String(value).split(',');
  const known: readonly string[] = chains;
  if (new Set(names).size < names.length || !names.every((name) => known.includes(name)))
    throw new Error(`must be a list of ${chains.join(', ')}, with commas and each once`);
};

export const chainDataSchema = {
  labelsMaxAgeMs: {
    doc: 'Labels of a chain that were last imported longer ago are stale: readiness, metrics, an alert and "weir doctor" say so',
    format: 'positive-int',
    default: defaultChainDataSettings.labelsMaxAgeMs,
    env: 'WEIR_LABELS_MAX_AGE_MS',
  },
  transfersMaxAgeMs: {
    doc: 'Transfers of a chain are stale when the newest one is older: readiness, metrics, an alert and "weir doctor" say so',
    format: 'positive-int',
    default: defaultChainDataSettings.transfersMaxAgeMs,
    env: 'WEIR_TRANSFERS_MAX_AGE_MS',
  },
  requiredChains: {
    doc: 'Chains that must have labels and transfers, with commas; empty: only what has been imported is looked at',
    format: knownChains,
    default: defaultChainDataSettings.requiredChains,
    env: 'WEIR_REQUIRED_CHAINS',
  },
};

export function createChainDataMetrics(registry: Registry, db: Queryable, settings: ChainDataSettings): void {
  let reading: Promise<void> | undefined;
  /** All gauges of a scrape share one query. A failed query leaves them unchanged. */
  const collect = (): Promise<void> => {
    reading ??= refresh()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name: `weir_chain_data_${name}`, help, labelNames, registers: [registry], collect });
  const labels = gauge('labels', 'Imported labels', ['chain']);
  const transfers = gauge('transfers', 'Imported transfers', ['chain']);
  const labelsAge = gauge('labels_age_seconds', 'Time since labels were last imported', ['chain']);
  const transfersAge = gauge('transfers_age_seconds', 'Time since the newest imported transfer', ['chain']);
  const problems = gauge(
    'problems',
    '1 for each problem of a chain: no_labels, no_transfers, stale_labels, stale_transfers; of all chains: empty (0 or 1)',
    ['chain', 'problem'],
  );

  async function refresh(): Promise<void> {
    const status = await readChainData(db, settings);
    problems.reset();
    problems.set({ chain: 'all', problem: 'empty' }, status.isEmpty ? 1 : 0);
    for (const { chain, ...data } of status.chains) {
      labels.set({ chain }, data.labels);
      transfers.set({ chain }, data.transfers);
      if (data.labelsAgeMs !== null) labelsAge.set({ chain }, data.labelsAgeMs / 1_000);
      if (data.transfersAgeMs !== null) transfersAge.set({ chain }, data.transfersAgeMs / 1_000);
      for (const problem of data.problems) problems.set({ chain, problem }, 1);
    }
  }
}
