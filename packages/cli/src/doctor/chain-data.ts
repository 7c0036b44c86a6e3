import { findChain, isEvm } from '@weir/chains';
import { ageWords, type ChainData, readChainData } from '@weir/chain-store';
import type { Pool } from '@weir/postgres';
import type { AllSettings } from '../settings.ts';
import { type Finding, ok, remark, wrong } from './finding.ts';

/** Presence and age of the labels and transfers of the local risk API. Nothing when another API is configured. */
export async function examineChainData(pool: Pool, settings: AllSettings): Promise<Finding[]> {
  if (settings.upstreamUrl !== '') return [];
  const { rows } = await pool.query<{ found: boolean }>(`SELECT to_regclass('chain.chain_data') IS NOT NULL AS found`);
  if (rows[0]?.found !== true) return [];
  const { isEmpty, chains, warnings } = await readChainData(pool, settings);
  if (isEmpty)
    return [
      wrong('chain data', 'empty: no labels and no transfers, so every transfer is held; "weir labels import", "weir transfers import"'),
    ];
  return [
    ok('chain data', chains.map(inWords).join('; ')),
    ...[...warnings, ...withoutInternal(chains)].map((warning) => remark('chain data', warning)),
  ];
}

/** The other chains have no contracts, or their contracts' payments are not told apart. */
function withoutInternal(chains: readonly ChainData[]): string[] {
  const concerned = chains.filter(
    ({ chain, transfers, internalTransfers }) => hasInternal(chain) && transfers > 0 && internalTransfers === 0,
  );
  if (concerned.length === 0) return [];
  const names = concerned.map(({ chain }) => chain).join(', ');
  return [
    `no payments of contracts within a transaction: ${names}; money that leaves a mixer or a contract is not seen. Import "traces" (see docs/importing.md)`,
  ];
}

function hasInternal(name: string): boolean {
  const chain = findChain(name);
  return chain !== undefined && (isEvm(chain) || chain === 'tron');
}

function inWords({ chain, labels, labelsAgeMs, transfers, transfersAgeMs }: ChainData): string {
  const part = (count: number, what: string, ageMs: number | null, since: string): string =>
    ageMs === null
      ? `no ${what}`
      : `${count.toLocaleString('en')} ${count === 1 ? what.slice(0, -1) : what} (${since} ${ageWords(ageMs)} ago)`;
  return `${chain}: ${part(labels, 'labels', labelsAgeMs, 'imported')}, ${part(transfers, 'transfers', transfersAgeMs, 'newest')}`;
}
