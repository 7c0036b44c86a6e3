import { type Chain, chains } from '@weir/chains';

export function findChain(name: string): Chain | undefined {
  return chains.find((chain) => chain === name);
}
