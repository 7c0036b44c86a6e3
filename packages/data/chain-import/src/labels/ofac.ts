import { type Chain, evmChains as allEvmChains } from '@weir/chains';
import { chainNamed } from '../chain-names.ts';
import type { LabelRow } from '../rows.ts';
import { instant, optional, required } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';

const columns = ['address', 'chain', 'listed_asset', 'entity', 'sdn_uid', 'entity_designated', 'removed_on'] as const;

/**
 * The addresses of the US sanctions list as CSV. A listing begins with the designation of its entity (always, where the file does not know it) and
 * ends before the day of its removal. `evmChains`: chains that an address listed on Ethereum is labelled on; all, unless told otherwise, for a person is
 * listed and not a coin, and whoever holds the key holds it on all.
 */
export function ofacFormat(evmChains: readonly Chain[] = allEvmChains): Format<LabelRow> {
  return {
    checkHeader: (found) => {
      const missing = columns.find((column) => !found.includes(column));
      if (missing !== undefined) throw new Error(`there is no column ${missing}`);
    },
    map: (fields) => {
      const uid = optional(fields, 'sdn_uid');
      const label = {
        address: required(fields, 'address'),
        name: optional(fields, 'entity') ?? 'Entity not given',
        category: 'sanctioned',
        validFrom: dayOf(fields, 'entity_designated'),
        validTo: dayOf(fields, 'removed_on'),
        confidence: 1,
        source: uid === undefined ? 'OFAC SDN' : `OFAC SDN ${uid}`,
      };
      const chain = chainOf(fields);
      return (chain === 'ethereum' ? evmChains : [chain]).map((each) => ({ chain: each, ...label }));
    },
  };
}

/** The list says in which coin it met an address, so coins of several chains stand for one (USDT), and others for chains of their own. */
function chainOf(fields: Fields): string {
  const chain = required(fields, 'chain');
  // BNB there is the coin of a chain that has ended, not that of BSC.
  return chain === 'OTHER' ? (optional(fields, 'listed_asset') ?? chain).toLowerCase() : chainNamed(chain);
}

function dayOf(fields: Fields, column: string): string | null {
  const day = optional(fields, column);
  return day === undefined ? null : instant(day, column);
}
