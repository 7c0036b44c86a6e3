import { type Chain, displayAddress } from '@weir/chains';
import { type ByMethod, type MoneyTrace, type Terminal, type TraceHop, traceMethods, type TraceMethodName } from '@weir/risk-engine';
import { plain, table } from '../output.ts';

const methodNames: Readonly<Record<TraceMethodName, string>> = { haircut: 'HAIRCUT', fifo: 'FIFO', poison: 'POISON' };

export function summaryOf(title: string, { direction, unit, value, transfers, read, bound }: MoneyTrace): string {
  const way = direction === 'forward' ? ['sent', 'where its money went'] : ['received', 'where its money came from'];
  const share = Math.max(0, ...Object.values(bound));
  return [
    `${title}: ${way[1]}`,
    `${number(value, unit)} ${unit} ${way[0]} in ${counted(transfers, 'transfer')}; ${counted(read.addresses, 'address', 'addresses')} and ${counted(read.transfers, 'transfer')} read.`,
    ...(share > 0
      ? [`Each line may have up to ${percent(share)} of it more, by haircut or FIFO: that part is behind hubs, or was not followed.`]
      : []),
    '',
  ].join('\n');
}

/** A line for each of the first terminals, then what is left and the sum. */
export function tableOf(chain: Chain, trace: MoneyTrace, limit: number): string {
  const { unit, not_followed } = trace;
  const { terminals, others } = limited(trace, limit);
  const methods = traceMethods.filter((method) => others.value[method] !== undefined);
  const cells = (values: ByMethod): string[] => methods.map((method) => number(values[method] ?? 0, unit));
  const rest = [
    ...(others.terminals > 0 ? [['', counted(others.terminals, 'smaller terminal'), '', others.value] as const] : []),
    ...(not_followed.addresses > 0
      ? [['not followed', counted(not_followed.addresses, 'address', 'addresses'), '', not_followed.value] as const]
      : []),
    ['sum', '', '', sumOf(methods, [...terminals.map((each) => each.value), others.value, not_followed.value])] as const,
  ];
  const rows = [...terminals.map((each) => [each.kind, nameOf(chain, each), String(each.hops), each.value] as const), ...rest].map(
    ([kind, name, hops, values]) => ({ left: [kind, name, hops], right: cells(values) }),
  );
  const heads = methods.map((method) => `${methodNames[method]} ${unit}`);
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map(({ right }) => right[column]?.length ?? 0)));
  const aligned = (values: readonly string[]): string[] => values.map((text, column) => text.padStart(widths[column] ?? 0));
  return table(
    ['END', 'WHO', 'HOPS', ...aligned(heads)],
    rows.map(({ left, right }) => [...left, ...aligned(right)]),
  );
}

/** Of the first terminals. */
export function pathsOf(chain: Chain, { terminals, unit, direction }: MoneyTrace, most: number): string[] {
  return terminals.slice(0, most).map((terminal) => {
    const { hops, method, path_value, path } = terminal;
    const to = `${direction === 'forward' ? 'to' : 'from'} ${nameOf(chain, terminal)}`;
    const title = `Path ${to}: ${number(path_value, unit)} ${unit} by ${method}, ${counted(hops, 'transfer')}${path.length < hops ? `, ${path.length} shown` : ''}`;
    const rows = path.map((hop) => [
      hop.time.replace('.000Z', 'Z'),
      hop.amount === null ? hop.coin : `${hop.amount} ${hop.coin}`,
      hop.usd === null ? '' : number(hop.usd, 'USD'),
      number(hop.traced, unit),
      displayAddress(chain, hop.from),
      displayAddress(chain, hop.to),
      plain(idOf(hop)),
    ]);
    return `${title}\n${table(['TIME', 'AMOUNT', 'USD', `TRACED ${unit}`, 'FROM', 'TO', 'TRANSACTION'], rows)}`;
  });
}

/** The further ones are added to the others. */
function limited({ terminals, others }: MoneyTrace, limit: number): Pick<MoneyTrace, 'terminals' | 'others'> {
  const further = terminals.slice(limit);
  const methods = traceMethods.filter((method) => others.value[method] !== undefined);
  return {
    terminals: terminals.slice(0, limit),
    others: { terminals: others.terminals + further.length, value: sumOf(methods, [others.value, ...further.map(({ value }) => value)]) },
  };
}

function idOf({ txid, coin_join }: TraceHop): string {
  return coin_join === true ? `${txid} (CoinJoin)` : txid;
}

function nameOf(chain: Chain, { entity, category, address, addresses }: Terminal): string {
  if (entity === '') return displayAddress(chain, address);
  return plain(`${entity} (${category}${addresses > 1 ? `, ${addresses} addresses` : ''})`);
}

function sumOf(methods: readonly TraceMethodName[], all: readonly ByMethod[]): ByMethod {
  return Object.fromEntries(methods.map((method) => [method, all.reduce((sum, values) => sum + (values[method] ?? 0), 0)]));
}

function number(value: number, unit: string): string {
  const digits = unit === 'USD' ? 2 : 6;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function percent(share: number): string {
  return `${(Math.ceil(share * 1_000) / 10).toLocaleString('en')} %`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
