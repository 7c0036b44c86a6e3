import { findChain } from '@weir/chains';

/** Returns an unknown name unchanged, so that the check of the row can report it. */
export function chainNamed(name: string): string {
  return findChain(name.trim()) ?? name;
}
