import { chains, parseAddress } from '@weir/chains';
import { UsageError } from '../failure.ts';
import { plain } from '../output.ts';

/** The stored forms of an address, on each chain that accepts it. */
export function formsOf(text: string): string[] {
  const forms = chains.map((chain) => parseAddress(chain, text)).filter((form) => form !== undefined);
  if (forms.length === 0) throw new UsageError(`"${plain(text)}" is no address of ${chains.join(', ')}`);
  return [...new Set(forms)];
}
