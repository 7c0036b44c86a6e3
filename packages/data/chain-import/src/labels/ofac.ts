import { type Chain, evmChains as allEvmChains } from '@weir/chains';
import { chainNamed } from '../chain-names.ts';
import type { LabelRow } from '../rows.ts';
import { instant, optional, required } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';

const columns = ['address', 'chain', 'listed_asset', 'entity', 'sdn_uid', 'entity_designated', 'removed_on'] as const;

/**
 * OFAC's SDN addresses as CSV. A label is valid from its entity's designation (always, if unknown) until before the day of removal.
 * `evmChains` label an Ethereum address; default all, because OFAC lists a person, and one key controls them all.
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
        valid_from: dayOf(fields, 'entity_designated'),
        valid_to: dayOf(fields, 'removed_on'),
        confidence: 1,
        source: uid === undefined ? 'OFAC SDN' : `OFAC SDN ${uid}`,
        source_kind: 'authority' as const,
        authority: 'OFAC',
      };
      const chain = chainOf(fields);
      return (chain === 'ethereum' ? evmChains : [chain]).map((each) => ({ chain: each, ...label }));
    },
  };
}

/** The list names a coin, not a chain: several chains share one (USDT), and others are chains of their own. */
function chainOf(fields: Fields): string {
  const chain = required(fields, 'chain');
  // BNB means the retired Beacon Chain, not BSC.
  return chainNamed((chain === 'OTHER' ? optional(fields, 'listed_asset') : undefined) ?? chain);
}

function dayOf(fields: Fields, column: string): string | null {
  const day = optional(fields, column);
  return day === undefined ? null : instant(day, column);
}
