import { contradictedAddresses } from '@weir/chain-store';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { RiskStore } from '@weir/risk-engine';
import type { Logger } from '@weir/service-kit';
import { Gauge, type Registry } from 'prom-client';

/** Names in a log line. */
const mostNamed = 10;

interface Parts {
  readonly db: Queryable;
  readonly store: RiskStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: Registry;
}

/** Counts the addresses whose labels contradict each other, and names some in the log whenever their number changes. */
export function createContradictionMetrics({ db, store, clock, logger, registry }: Parts): { measure(): Promise<void> } {
  const gauge = new Gauge({
    name: 'weir_label_contradictions',
    help: 'Addresses that some sources call a service and others accuse, by the claim that counts: service, accusation',
    labelNames: ['standing'],
    registers: [registry],
  });
  let last = 0;
  return {
    async measure() {
      const found = await contradictedAddresses(db, store, clock.now());
      for (const standing of ['service', 'accusation'] as const)
        gauge.set({ standing }, found.filter(({ contradiction }) => contradiction.standing === standing).length);
      const addresses = found.slice(0, mostNamed).map(({ chain, address }) => `${chain} ${address}`);
      if (found.length > 0 && found.length !== last) logger.warn({ count: found.length, addresses }, 'labels contradict each other');
      last = found.length;
    },
  };
}
