import { type ChainDataSettings, readChainData } from '@weir/chain-store';
import type { Queryable } from '@weir/postgres';
import { oncePerScrape } from '@weir/service-kit';
import { Gauge, type Registry } from 'prom-client';

export function createChainDataMetrics(registry: Registry, db: Queryable, settings: ChainDataSettings): void {
  const collect = oncePerScrape(refresh);
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge({ name: `weir_chain_data_${name}`, help, labelNames, registers: [registry], collect });
  const labels = gauge('labels', 'Imported labels', ['chain']);
  const transfers = gauge('transfers', 'Imported transfers', ['chain']);
  const labelsAge = gauge('labels_age_seconds', 'Time since labels were last imported', ['chain']);
  const transfersAge = gauge('transfers_age_seconds', 'Time since the newest imported transfer', ['chain']);
  const problems = gauge(
    'problems',
    '1 for each problem of a chain: no_labels, no_transfers, stale_labels, stale_transfers, behind; of all chains: empty (0 or 1)',
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
