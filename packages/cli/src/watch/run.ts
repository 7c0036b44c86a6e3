import { type Chain, displayAddress, findChain, parseAddress } from '@weir/chains';
import { listWatched, listWatchedPayments, readFollowedChain, type WatchedAddress } from '@weir/chain-store';
import { systemClock } from '@weir/clock';
import { customerId, unwatch, watch } from '@weir/deposit-ingest';
import { readCsvFile } from '../csv-file.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { operator } from '../operator.ts';
import { note, print, printJson } from '../output.ts';
import { deriver, type ScriptType } from './derive.ts';

export interface AddFlags extends PlaceFlags {
  readonly chain: string;
  readonly user?: string;
  readonly file?: string;
  readonly xpub?: string;
  readonly count: number;
  readonly first: number;
  readonly script?: ScriptType;
  readonly since?: Date;
  readonly json?: true;
}

interface Given {
  readonly address: string;
  readonly userId: string | null;
  /** For a person: `line 3: `. */
  readonly place: string;
}

/** Rows of a page of the list. */
const rowsAtOnce = 10_000;

export async function runAdd(addresses: readonly string[], flags: AddFlags): Promise<void> {
  const chain = chainOf(flags.chain);
  const given = givenBy(addresses, flags, chain);
  if (given.length === 0) throw new UsageError('name addresses, --file or --xpub');
  const since = flags.since ?? new Date(systemClock.now());
  const watched = given.map(({ address, userId, place }): WatchedAddress => {
    const problem = customerId.safeParse(userId).error?.issues[0]?.message;
    if (problem !== undefined) throw new UsageError(`${place}the id of a customer ${problem}`);
    return { chain, address: parsed(chain, address, place), userId, since };
  });
  await withInstallation(flags, async ({ pool }) => {
    const added = await watch(pool, watched, { by: operator(), at: systemClock.now() });
    if ((await readFollowedChain(pool, chain)) === undefined)
      note(`${chain} is not followed yet, so nothing is detected: WEIR_CHAIN_NODES.`);
    if (flags.json) return printJson({ chain, given: watched.length, added });
    note(`${added} of ${watched.length} were not watched before.`);
  });
}

export async function runList({ chain, ...flags }: PlaceFlags & { chain?: string; json?: true }): Promise<void> {
  const only = chain === undefined ? null : chainOf(chain);
  await withInstallation(flags, async ({ pool }) => {
    const all: WatchedAddress[] = [];
    for (let after: WatchedAddress | undefined; ; after = all.at(-1)) {
      const page = await listWatched(pool, { chain: only, after, limit: rowsAtOnce });
      if (flags.json) all.push(...page);
      else {
        await print(page.map(lineOf).join(''));
        all.splice(0, all.length, ...page.slice(-1));
      }
      if (page.length < rowsAtOnce) break;
    }
    if (flags.json) await printJson(all.map(({ userId, since, ...rest }) => ({ ...rest, user_id: userId, since: since.toISOString() })));
    else if (all.length === 0) note('No address is watched.');
  });
}

export interface PaymentsFlags extends PlaceFlags {
  readonly chain?: string;
  readonly all?: true;
  readonly limit: number;
  readonly json?: true;
}

export async function runPayments({ chain, all, limit, json, ...place }: PaymentsFlags): Promise<void> {
  const only = chain === undefined ? null : chainOf(chain);
  await withInstallation(place, async ({ pool }) => {
    const payments = await listWatchedPayments(pool, { chain: only, isAllowed: all === true, limit });
    if (json) {
      return printJson(
        payments.map(({ fromAddress, toAddress, at, withdrawalId, ...rest }) => ({
          ...rest,
          from_addresses: fromAddress.split(' '),
          to_address: toAddress,
          at: at.toISOString(),
          withdrawal_id: withdrawalId,
        })),
      );
    }
    const shown = ({ chain: of, fromAddress, toAddress, ...rest }: (typeof payments)[number]): string[] => [
      rest.at.toISOString(),
      of,
      rest.txid,
      String(rest.position),
      fromAddress
        .split(' ')
        .map((address) => displayAddress(of, address))
        .join(' '),
      displayAddress(of, toAddress),
      rest.amount,
      rest.coin,
      rest.withdrawalId ?? '-',
    ];
    await print(payments.map((payment) => `${shown(payment).join('\t')}\n`).join(''));
    if (payments.length === 0) note(all === true ? 'No watched address has paid.' : 'Each payment of a watched address has a permit.');
  });
}

export async function runRemove(addresses: readonly string[], flags: PlaceFlags & { chain: string }): Promise<void> {
  const chain = chainOf(flags.chain);
  const normalised = addresses.map((address) => parsed(chain, address, ''));
  await withInstallation(flags, async ({ pool }) => {
    const removed = await unwatch(pool, chain, normalised, { by: operator(), at: systemClock.now() });
    if (removed < new Set(normalised).size) throw new Error(`${removed} of ${new Set(normalised).size} were watched, and are no longer`);
    note(`${removed} no longer watched.`);
  });
}

function lineOf({ chain, address, userId, since }: WatchedAddress): string {
  return `${[chain, displayAddress(chain, address), userId ?? '-', since.toISOString()].join('\t')}\n`;
}

function chainOf(name: string): Chain {
  const chain = findChain(name);
  if (chain === undefined) throw new UsageError(`${name} is no known chain`);
  return chain;
}

function parsed(chain: Chain, text: string, place: string): string {
  const address = parseAddress(chain, text);
  if (address === undefined) throw new UsageError(`${place}${text} is no address of ${chain}`);
  return address;
}

function givenBy(addresses: readonly string[], { file, xpub, user, count, first, script }: AddFlags, chain: Chain): readonly Given[] {
  if (addresses.length > 0 && (file !== undefined || xpub !== undefined)) throw new UsageError('addresses do not go with --file or --xpub');
  if (xpub !== undefined) {
    const addressAt = deriver(chain, xpub, { branch: 0, script });
    return Array.from({ length: count }, (_, n) => ({ address: addressAt(first + n), userId: null, place: '' }));
  }
  if (file !== undefined) return fromFile(file, user ?? null);
  return addresses.map((address) => ({ address, userId: user ?? null, place: '' }));
}

function fromFile(file: string, user: string | null): Given[] {
  return readCsvFile(file).map(({ record: { address = '', user_id = '' }, info }) => ({
    address,
    userId: user_id === '' ? user : user_id,
    place: `${file}, line ${info.lines}: `,
  }));
}
