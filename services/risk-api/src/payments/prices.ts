export const specifiedPrices = {
  address_labels: '0.1',
  address_overview: '0.5',
  risk_score: '1',
  risk_score_create_task: '1',
  transactions_investigation: '1',
  address_action: '0.5',
  address_trace: '0.5',
  address_counterparty: '0.5',
} as const;

export type PaidName = keyof typeof specifiedPrices;

const names = Object.keys(specifiedPrices);
/** USDC has six decimals. */
const price = /^(?=.*[1-9])(0|[1-9]\d{0,5})(\.\d{1,6})?$/;

export function isPriceList(text: string): boolean {
  const pairs = text.split(',').map((pair) => pair.split('='));
  const isKnown = pairs.every(([name, value, ...rest]) => names.includes(name ?? '') && price.test(value ?? '') && rest.length === 0);
  return isKnown && new Set(pairs.map(([name]) => name)).size === pairs.length;
}

/** USDC for each call. `list` has passed `isPriceList`. */
export function pricesOf(list: string): Readonly<Record<PaidName, string>> {
  const given = list === '' ? [] : list.split(',').map((pair) => pair.split('='));
  return { ...specifiedPrices, ...Object.fromEntries(given) };
}
