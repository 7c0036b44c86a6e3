import { chainStoreMigrations, chainStoreModule, createRiskStore } from '@weir/chain-store';
import { type Chain, displayAddress, findCoin, hintForCoin, parseAddress } from '@weir/chains';
import { systemClock } from '@weir/clock';
import { migrate, type Pool } from '@weir/postgres';
import { type MoneyTrace, type TraceDirection, type TraceMethodName, traceMoney } from '@weir/risk-engine';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { formsOf } from '../labels/addresses.ts';
import { note, plain, print, printJson } from '../output.ts';
import { pathsOf, summaryOf, tableOf } from './show.ts';

export interface TraceFlags extends PlaceFlags {
  readonly chain?: Chain;
  readonly coin?: string;
  readonly direction: TraceDirection;
  readonly method?: TraceMethodName;
  readonly since?: Date;
  readonly until?: Date;
  readonly limit: number;
  readonly paths: number;
  readonly json?: true;
}

export async function traceAddress(text: string, flags: TraceFlags): Promise<void> {
  const coin = flags.coin === undefined ? undefined : coinOf(flags.coin);
  const chain = chainOf(flags, coin?.chain);
  if (flags.since !== undefined && flags.until !== undefined && flags.since > flags.until) throw new UsageError('--since is after --until');
  const forms = chain === undefined ? formsOf(text) : [formOn(chain, text)];
  await withInstallation(flags, async ({ pool }) => {
    await migrate(pool, chainStoreModule, chainStoreMigrations);
    const subject = await subjectOf(pool, text, forms, chain);
    const { direction, method, since, until } = flags;
    const trace = await traceMoney(createRiskStore(pool), subject.chain, subject.address, systemClock.now(), {
      direction,
      ...(coin !== undefined && { coin: coin.symbol }),
      ...(method !== undefined && { methods: [method] }),
      ...(since !== undefined && { since: since.getTime() }),
      ...(until !== undefined && { until: until.getTime() }),
    });
    if (flags.json) return printJson({ ...subject, ...trace });
    await print(shown(subject, trace, flags));
    for (const line of cautions(trace)) note(line);
  });
}

interface Subject {
  readonly chain: Chain;
  readonly address: string;
}

function coinOf(text: string): { readonly symbol: string; readonly chain: Chain } {
  const coin = findCoin(text.toUpperCase());
  if (coin !== undefined) return coin;
  const hint = hintForCoin(text, null);
  throw new UsageError(`the coin "${plain(text)}" is not known${hint === undefined ? '' : `: ${hint}`}`);
}

function chainOf({ chain, coin }: TraceFlags, coinChain: Chain | undefined): Chain | undefined {
  if (chain !== undefined && coinChain !== undefined && chain !== coinChain)
    throw new UsageError(`${plain(coin ?? '')} is a coin of ${coinChain}, not of ${chain}`);
  return chain ?? coinChain;
}

function formOn(chain: Chain, text: string): string {
  const address = parseAddress(chain, text);
  if (address === undefined) throw new UsageError(`"${plain(text)}" is no address of ${chain}`);
  return address;
}

/** The one chain on which the address has transfers. */
async function subjectOf(pool: Pool, text: string, forms: readonly string[], chain: Chain | undefined): Promise<Subject> {
  const { rows } = await pool.query<Subject & Record<string, unknown>>(
    'SELECT DISTINCT chain, address FROM chain.address_stats WHERE address = ANY($1) AND ($2::text IS NULL OR chain = $2) ORDER BY chain',
    [forms, chain ?? null],
  );
  const [first, ...others] = rows;
  if (first === undefined)
    throw new Error(
      `no transfer of ${plain(text)} is known${chain === undefined ? '' : ` on ${chain}`}; "weir transfers import" loads them`,
    );
  if (others.length > 0)
    throw new UsageError(`${plain(text)} has transfers on ${rows.map((row) => row.chain).join(', ')}: choose one with --chain`);
  return { chain: first.chain, address: first.address };
}

function shown({ chain, address }: Subject, trace: MoneyTrace, { limit, paths }: TraceFlags): string {
  const title = `${displayAddress(chain, address)} on ${chain}`;
  const summary = summaryOf(title, trace);
  if (trace.terminals.length === 0) return summary;
  return [summary, tableOf(chain, trace, limit), ...pathsOf(chain, trace, paths)].join('\n');
}

/** What the table does not contain. */
function cautions({ unvalued_transfers, unlisted_transfers, unit }: MoneyTrace): string[] {
  const inUsd = unit === 'USD' ? '; --coin follows a coin by its amount' : '';
  return [
    ...(unvalued_transfers > 0
      ? [`Not followed: transfers of the address without a known value in ${unit}: ${unvalued_transfers}${inUsd}.`]
      : []),
    ...(unlisted_transfers > 0
      ? [`Not followed: further transfers of the address: ${unlisted_transfers}; --since and --until choose a time.`]
      : []),
  ];
}
