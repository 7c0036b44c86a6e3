import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action, RiskLevel } from '@weir/contracts';

/** What the risk service knows of an address, and what follows from it. */
export interface Kind {
  readonly name: string;
  readonly addresses: readonly string[];
  /** Null: nothing is known, so there is no score. */
  readonly level: RiskLevel | null;
  readonly action: Action;
}

const exchange = '0x3f5ce5fbfe3e9af3971dd833d26ba9b5c936f0be';

function kindOf(name: string, count: number, level: RiskLevel | null, action: Action): Kind {
  const addresses = Array.from({ length: count }, (_, n) => `0x${createHash('sha256').update(`${name} ${n}`).digest('hex').slice(0, 40)}`);
  return { name, addresses, level, action };
}

/** More than one decision of each action in every phase. */
export const kinds = {
  customer: kindOf('customer', 400, 'Low', 'allow'),
  listed: kindOf('listed', 20, 'Severe', 'block'),
  unknown: kindOf('unknown', 40, null, 'review'),
} as const;

const kindByAddress = new Map(Object.values(kinds).flatMap((kind) => kind.addresses.map((address) => [address, kind] as const)));

export function knownOf(address: string): Kind {
  const kind = kindByAddress.get(address);
  if (kind === undefined) throw new Error(`no address of the test: ${address}`);
  return kind;
}

/** Files for `weir labels import` and `weir transfers import`, as arguments of the command. */
export function writeChainData(folder: string): readonly (readonly string[])[] {
  const labels = join(folder, 'labels.csv');
  const listed = kinds.listed.addresses.map((address) => `ETH,${address},Listed,sanctions,a list\n`);
  writeFileSync(labels, `chain,address,name,category,source\nETH,${exchange},Exchange,exchange,a list\n${listed.join('')}`);
  const transfers = join(folder, 'transfers.csv');
  const time = new Date().toISOString();
  const paid = kinds.customer.addresses.flatMap((address, n) => [
    `${time},0x${(2 * n).toString(16).padStart(64, '0')},${exchange},${address},20,40000\n`,
    `${time},0x${(2 * n + 1).toString(16).padStart(64, '0')},${address},${exchange},10,20000\n`,
  ]);
  writeFileSync(transfers, `time,txid,from_address,to_address,amount,usd_value\n${paid.join('')}`);
  return [
    ['labels', 'import', labels, '--format', 'csv'],
    ['transfers', 'import', transfers, '--format', 'csv', '--chain', 'ethereum', '--coin', 'ETH'],
  ];
}
