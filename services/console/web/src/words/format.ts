import { words } from './en.ts';

export const dayMs = 86_400_000;

/**
 * Grouped, at most so many digits behind the point, cut and not rounded: an amount is never shown larger than it is. One that would be cut to
 * zero is shown as less than the smallest.
 */
export function decimal(value: string, most = 8): string {
  const [integer = '0', fraction = ''] = value.split('.');
  const shown = fraction.slice(0, most).replace(/0+$/, '');
  if (shown === '' && !/[1-9]/.test(integer) && /[1-9]/.test(fraction)) return `<${(10 ** -most).toFixed(most)}`;
  return integer.replace(/\B(?=(\d{3})+$)/g, ',') + (shown === '' ? '' : `.${shown}`);
}

/** Of a transfer on a way. Some say zero where they know none: no money goes through such a transfer. */
export function isKnownAmount(amount: string | null): amount is string {
  return amount !== null && /[1-9]/.test(amount);
}

export function usd(value: string | number | null): string {
  if (value === null) return words.usd.unknown;
  if (typeof value === 'number') return value.toLocaleString(words.locale.numbers, { style: 'currency', currency: 'USD' });
  const [integer = '0', fraction = ''] = value.split('.');
  return `$${decimal(integer)}.${fraction.slice(0, 2).padEnd(2, '0')}`;
}

/** Grouped. */
export function whole(value: number): string {
  return value.toLocaleString(words.locale.numbers);
}

/** Grouped, rounded to at most so many digits behind the point. */
function digits(value: number, most: number): string {
  return value.toLocaleString(words.locale.numbers, { maximumFractionDigits: most });
}

/** Whole, and without an exponent. */
export function plainNumber(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 });
}

/** An amount in coins; never shown larger than it is, nor as nothing where it is something. */
export function coins(value: number, most: number): string {
  return decimal(plainNumber(value), most);
}

/** Of an axis: 1.2K. */
export function short(value: number): string {
  return value.toLocaleString(words.locale.numbers, { notation: 'compact' });
}

export function percent(value: number): string {
  return `${digits(value, value < 1 ? 3 : 1)} %`;
}

/** Years before are those of somebody who still types. */
const firstYear = 1970;
/** The day after its last one has four digits of the year, too. */
const lastYear = 9998;

/** Of times on the pages: the reader's own, or UTC. */
export type Zone = 'local' | 'utc';

const format = (zone: Zone, own: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(words.locale.times, { ...own, ...(zone === 'utc' && { timeZone: 'UTC' }) });
const times = {
  local: format('local', { dateStyle: 'medium', timeStyle: 'medium' }),
  utc: format('utc', { dateStyle: 'medium', timeStyle: 'medium' }),
};
const days = { local: format('local', { dateStyle: 'medium' }), utc: format('utc', { dateStyle: 'medium' }) };

export function time(iso: string, zone: Zone): string {
  const text = times[zone].format(new Date(iso));
  return zone === 'utc' ? `${text} UTC` : text;
}

export function day(iso: string, zone: Zone): string {
  return days[zone].format(new Date(iso));
}

const isoDays = {
  local: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' }),
  utc: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone: 'UTC' }),
};

/** 2026-01-31. Empty: it is no time. */
export function dayOf(ms: number, zone: Zone): string {
  return Number.isNaN(ms) ? '' : isoDays[zone].format(ms);
}

/** When a day begins, `more` days later; undefined: the text is no day of four digits of the year. */
export function startOf(text: string, zone: Zone, more = 0): string | undefined {
  const [year = 0, month = 0, date = 0] = text.split('-').map(Number);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || year < firstYear || year > lastYear) return undefined;
  return new Date(zone === 'utc' ? Date.UTC(year, month - 1, date + more) : new Date(year, month - 1, date + more)).toISOString();
}

export function utc(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}

export function duration(seconds: number): string {
  const { s, min, h, hMin, days: inDays } = words.durations;
  if (seconds < 60) return s(Math.max(Math.floor(seconds), 0));
  if (seconds < 3_600) return min(Math.floor(seconds / 60));
  if (seconds < 172_800)
    return seconds % 3_600 < 60 ? h(Math.floor(seconds / 3_600)) : hMin(Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60));
  return inDays(Math.floor(seconds / 86_400));
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
