import { displayAddress, listedCoins, type NewToken } from '@weir/chains';
import { addTokens, listAddedCoins, removeCoin } from '@weir/coin-store';
import { systemClock } from '@weir/clock';
import { type Queryable, transaction } from '@weir/postgres';
import { recordActivity } from '@weir/service-kit';
import { confirm } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { operator } from '../operator.ts';
import { note, print, printJson, table } from '../output.ts';
import { readTokens, type TokenRow } from './tokens-file.ts';

export interface AddFlags extends PlaceFlags {
  readonly chain?: string;
  readonly contract?: string;
  readonly decimals?: number;
  readonly file?: string;
  readonly json?: true;
}

export async function runAdd(symbol: string | undefined, flags: AddFlags): Promise<void> {
  const rows = flags.file === undefined ? [{ token: tokenOf(symbol, flags), place: '' }] : fromFile(symbol, flags.file);
  await withInstallation(flags, async ({ pool }) => {
    const result = await addTokens(
      pool,
      rows.map(({ token }) => token),
      async (tx, coins) => {
        for (const { symbol: name, chain, contract, decimals } of coins)
          await record(tx, 'coin_added', name, { chain, contract, decimals: String(decimals) });
      },
    );
    if ('problems' in result) throw new Error(result.problems.map(({ at, problem }) => `${rows[at]?.place}${problem}`).join('\n'));
    const { added } = result;
    if (flags.json) return printJson(added);
    await print(added.map(({ symbol: name }) => `${name}\n`).join(''));
    note(added.length === 0 ? 'They were there already.' : `Every service reads ${added.length === 1 ? 'it' : 'them'} within a second.`);
  });
}

function tokenOf(symbol: string | undefined, { chain, contract, decimals }: AddFlags): NewToken {
  if (symbol === undefined || chain === undefined || contract === undefined || decimals === undefined)
    throw new UsageError('give the symbol with --chain, --contract and --decimals, or --file');
  return { symbol, chain, contract, decimals };
}

function fromFile(symbol: string | undefined, file: string): readonly TokenRow[] {
  if (symbol !== undefined) throw new UsageError('a symbol does not go with --file');
  return readTokens(file);
}

export async function runList(flags: PlaceFlags & { added?: true; json?: true }): Promise<void> {
  await withInstallation(flags, async ({ pool }) => {
    const own = await listAddedCoins(pool);
    const all = [...(flags.added ? [] : listedCoins.map((coin) => ({ ...coin, added_at: null }))), ...own];
    if (flags.json) return printJson(all);
    const rows = all.map(({ symbol, chain, decimals, contract, added_at }) => [
      symbol,
      chain,
      String(decimals),
      added_at === null ? '' : added_at.toISOString().slice(0, 10),
      contract === undefined ? '' : displayAddress(chain, contract),
    ]);
    await print(table(['SYMBOL', 'CHAIN', 'DECIMALS', 'ADDED', 'CONTRACT'], rows));
  });
}

export async function runRemove(text: string, flags: PlaceFlags & { yes?: true }): Promise<void> {
  const symbol = text.toUpperCase();
  await withInstallation(flags, async ({ pool }) => {
    const coin = (await listAddedCoins(pool)).find((one) => one.symbol === symbol);
    if (coin === undefined) throw new Error(`${symbol} is not among the coins added here; "weir coins list --added" shows them`);
    if (!(await confirm(`Remove ${symbol}? Further deposits of it are held, further withdrawals refused.`, flags.yes))) return;
    await transaction(pool, async (tx) => {
      if (await removeCoin(tx, symbol)) await record(tx, 'coin_removed', symbol, {});
    });
    note(`${symbol} is removed.`);
  });
}

function record(
  tx: Queryable,
  action: 'coin_added' | 'coin_removed',
  subject: string,
  details: Readonly<Record<string, string>>,
): Promise<void> {
  return recordActivity(tx, { action, subjectType: 'coin', subject, by: operator(), details, at: systemClock.now() });
}
