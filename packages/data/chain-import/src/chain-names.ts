import { type Chain, chains } from '@weir/chains';
import data from './chain-names.json' with { type: 'json' };

const byName = new Map<string, Chain>(chains.map((chain) => [chain, chain]));
for (const [name, chain] of Object.entries(data.names)) byName.set(name, chain as Chain);

/** Returns an unknown name unchanged, so that the check of the row can report it. */
export function chainNamed(name: string): string {
  return byName.get(name.trim().toLowerCase()) ?? name;
}
