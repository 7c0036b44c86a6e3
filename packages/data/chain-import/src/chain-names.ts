import { type Chain, chains } from '@weir/chains';
import data from './chain-names.json' with { type: 'json' };

const byName = new Map<string, Chain>(chains.map((chain) => [chain, chain]));
for (const [name, chain] of Object.entries(data.names)) byName.set(name, chain as Chain);

/** The chain that a source means by a name; the name itself when it is none that Weir knows, so that whoever checks the row can say so. */
export function chainNamed(name: string): string {
  return byName.get(name.trim().toLowerCase()) ?? name;
}
