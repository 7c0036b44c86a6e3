import { type Chain, chains, parseAddress } from '@weir/chains';
import { UsageError } from '../failure.ts';
import { plain } from '../output.ts';

/** The stored forms of an address, on each chain that accepts it. */
export function formsOf(text: string): string[] {
  const forms = chains.filter(telling(text)).flatMap((chain) => parseAddress(chain, text) ?? []);
  if (forms.length === 0) throw new UsageError(`"${plain(text)}" is no address of ${chains.join(', ')}`);
  return [...new Set(forms)];
}

/** Almost any word may be an account of NEAR. */
function telling(text: string): (chain: Chain) => boolean {
  return (chain) => chain !== 'near' || /\.|^[0-9a-f]{64}$/.test(text);
}
