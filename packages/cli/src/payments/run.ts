import { systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { listPayments, type PaymentState, type PaymentView, migrateRiskApi, reconcilePayments } from '@weir/risk-api';
import { createLogger } from '@weir/service-kit';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, plain, print, printJson, table } from '../output.ts';

interface ListFlags extends PlaceFlags {
  readonly state?: PaymentState;
  readonly since?: Date;
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: true;
}

export async function runList(flags: ListFlags): Promise<void> {
  const { state, since, limit, cursor } = flags;
  await withLedger(flags, async (pool) => {
    const filter = { limit, ...(state && { state }), ...(since && { since }), ...(cursor !== undefined && { cursor }) };
    const page = await listPayments(pool, filter);
    if (page === undefined) throw new UsageError('--cursor must be what a list has ended with');
    if (flags.json) return printJson(page);
    await print(table(['TIME', 'STATE', 'USDC', 'OPERATION', 'NETWORK', 'PAYER', 'TRANSACTION'], page.items.map(rowOf)));
    if (page.next_cursor !== null) note(`There is more: --cursor ${page.next_cursor}`);
  });
}

function rowOf(payment: PaymentView): string[] {
  const { created_at, state, reason, amount, operation, network, payer, transaction } = payment;
  const standing = reason === null ? state : `${state} (${reason})`;
  return [
    `${created_at.slice(0, 19)}Z`,
    standing,
    amount,
    operation,
    network.startsWith('eip155') ? 'base' : 'solana',
    plain(payer),
    plain(transaction ?? ''),
  ];
}

export async function runReconcile(flags: PlaceFlags & { json?: true }): Promise<void> {
  const counts = await withLedger(flags, async (pool, settings) =>
    reconcilePayments({ db: pool, clock: systemClock, logger: createLogger({ service: 'weir', level: settings.logLevel }), settings }),
  );
  if (flags.json) await printJson(counts);
  else note(`${counts.settled} were charged, ${counts.refused} not; ${counts.open} still unknown.`);
  if (counts.open > 0) process.exitCode = 1;
}

type Settings = Parameters<Parameters<typeof withInstallation>[1]>[1];

/** The risk API may never have run on this database. */
async function withLedger<T>(flags: PlaceFlags, work: (pool: Pool, settings: Settings) => Promise<T>): Promise<T> {
  return withInstallation(flags, async ({ pool }, settings) => {
    await migrateRiskApi(pool);
    return work(pool, settings);
  });
}
