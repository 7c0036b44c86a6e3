/** `1,234,567.89` */
const usdFormat = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const countFormat = new Intl.NumberFormat('en-GB');
/** Further digits fill a column and tell nothing. */
const manyUsd = 1e15;

export function usd(value: number): string {
  return Math.abs(value) < manyUsd ? usdFormat.format(value) : value.toExponential(3);
}

export function count(value: number): string {
  return Math.abs(value) < manyUsd ? countFormat.format(value) : value.toExponential(3);
}

/** A decimal text with all its digits: `1,234,567.8`. */
export function decimal(text: string): string {
  const [whole = '', ...fraction] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...fraction].join('.');
}

/** Of 0 to 100. A positive value must not read as zero. */
export function percent(value: number): string {
  if (value > 0 && value < 0.01) return '< 0.01 %';
  return `${value.toFixed(2)} %`;
}

/** Of a share of 0 to 1. */
export function share(value: number): string {
  return percent(value * 100);
}

/** `2024-07-16 09:30:05 UTC` */
export function moment(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2024-07-16` */
export function day(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** The id of a transfer. A source without transactions has none, and its rows are told apart by their hash. */
export function transaction(id: string): string {
  const row = /^derived:([0-9a-f]{16})/.exec(id)?.[1];
  return row === undefined ? id : `no transaction in the source; row ${row}`;
}

/** Both ends of a long address or id. */
export function shortened(text: string): string {
  return text.length <= 24 ? text : `${text.slice(0, 10)}…${text.slice(-8)}`;
}
