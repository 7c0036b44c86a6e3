import { words } from './en.ts';

export const dayMs = 86_400_000;

/** Grouped, at most `digits` digits behind the point, cut and not rounded: an amount is never shown larger than it is. */
export function decimal(value: string, digits = 8): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const shown = fraction.slice(0, digits).replace(/0+$/, '');
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (shown === '' ? '' : `.${shown}`);
}

export function usd(value: string | number | null): string {
  if (value === null) return words.usd.unknown;
  if (typeof value === 'number') return value.toLocaleString('en', { style: 'currency', currency: 'USD' });
  const [whole = '0', fraction = ''] = value.split('.');
  return `$${decimal(whole)}.${fraction.slice(0, 2).padEnd(2, '0')}`;
}

export function percent(value: number): string {
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 1 ? 3 : 1 })} %`;
}

const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** In the reader's time zone. */
export function time(iso: string): string {
  return local.format(new Date(iso));
}

const localDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** In the reader's time zone. */
export function day(iso: string): string {
  return localDay.format(new Date(iso));
}

export function utc(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(Math.floor(seconds), 0)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} days`;
}

export function shortened(text: string): string {
  return text.length > 18 ? `${text.slice(0, 10)}…${text.slice(-6)}` : text;
}

/** The other side of a transfer, which is what a screening is about. */
export function counterparty(transfer: {
  readonly from_address: string | null;
  readonly to_address: string;
  readonly deposit_id?: string;
}): string | null {
  return transfer.deposit_id === undefined ? transfer.to_address : transfer.from_address;
}

/** As the server compares names: whoever acts as one of two people is not offered the other part. The server decides. */
export function isSameName(one: string | undefined, other: string): boolean {
  return one !== undefined && plain(one) === plain(other);
}

const plain = (name: string): string => name.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();
