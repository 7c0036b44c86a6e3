import type { AddressTrace, ExposureView } from '../api/types.ts';
import { words } from '../words/en.ts';
import { coins, usd } from '../words/format.ts';

type End = AddressTrace['ends'][number];

export const nameOfEnd = ({ entity, kind }: End): string => (entity === '' ? words.analysis.unnamed(kind) : entity);

export const tracedValue = ({ unit }: AddressTrace, value: number): string => (unit === 'USD' ? usd(value) : `${coins(value, 8)} ${unit}`);

/** How much was traced, in words. */
export const tracedOf = (trace: AddressTrace): string =>
  words.analysis.traced(tracedValue(trace, trace.value), trace.transfers, trace.read.addresses);

/** What no listed end explains, in words. */
export function unexplainedOf(trace: AddressTrace): string[] {
  const { others, not_followed: left } = trace;
  const valueOf = ({ haircut }: AddressTrace['others']['value']): string => tracedValue(trace, haircut ?? 0);
  return [
    ...(others.ends > 0 ? [words.analysis.others(others.ends, valueOf(others.value))] : []),
    ...(left.addresses > 0 ? [words.analysis.notFollowed(left.addresses, valueOf(left.value))] : []),
  ];
}

/** For the graph: ends of a trace are drawn as the entities of exposures are. */
export function waysOf({ ends, direction, unit, value }: AddressTrace): ExposureView[] {
  return ends.map((end) => {
    const traced = end.value.haircut ?? 0;
    return {
      entity: nameOfEnd(end),
      risk_type: end.category,
      exposure_type: end.hops > 1 ? 'indirect' : 'direct',
      hop_num: end.hops,
      volume: unit === 'USD' ? traced : null,
      percent: value > 0 ? (100 * traced) / value : null,
      side: direction === 'forward' ? 'out' : 'in',
      counterparty: null,
      path: end.path,
    };
  });
}
