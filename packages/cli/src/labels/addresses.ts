import { addressForms, chains } from '@weir/chains';
import { UsageError } from '../failure.ts';
import { plain } from '../output.ts';

/** The stored forms of an address, on each chain that accepts it. */
export function formsOf(text: string): string[] {
  const forms = addressForms(text);
  if (forms.length === 0) throw new UsageError(`"${plain(text)}" is no address of ${chains.join(', ')}`);
  return forms;
}
