import { plainDecimal } from '../decimal.ts';
import { parseInstant } from '../time.ts';
import type { Fields } from './records.ts';

/** The record is unusable; the message is for people. */
export class Unusable extends Error {
  readonly code = 'UNUSABLE';
  readonly retriable = false;
}

/** The first of these columns that is not empty, as text. */
export function optional(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = Object.hasOwn(fields, name) ? textOf(fields[name], name) : '';
    if (text !== '') return text;
  }
  return undefined;
}

function textOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') throw new Unusable(`${name} is no text and no number`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new Unusable(`${name} was kept as a float and has lost digits`);
  return String(value);
}

export function required(fields: Fields, ...names: readonly string[]): string {
  const text = optional(fields, ...names);
  if (text === undefined) throw new Unusable(`${names.join(' or ')} is missing`);
  return text;
}

/** Whole units of any size. */
export function units(fields: Fields, ...names: readonly string[]): bigint {
  const text = required(fields, ...names);
  // Databases write whole numbers of decimal columns with a point.
  const match = /^(\d{1,78})(?:\.0{1,40})?$/.exec(text) ?? /^(0x[0-9a-fA-F]{1,64})$/.exec(text);
  if (match?.[1] === undefined) throw new Unusable(`${names[0]} is not a whole number`);
  return BigInt(match[1]);
}

/** A small whole number, such as an index or a height. */
export function index(fields: Fields, ...names: readonly string[]): number {
  const value = units(fields, ...names);
  if (value > 2_147_483_647n) throw new Unusable(`${names[0]} is larger than any can be`);
  return Number(value);
}

/** In plain form; undefined when empty. */
export function decimal(fields: Fields, name: string): string | undefined {
  const text = optional(fields, name);
  const plain = text === undefined ? undefined : plainDecimal(text);
  if (text !== undefined && plain === undefined) throw new Unusable(`${name} is not a decimal number`);
  return plain;
}

/** Parses the forms of `parseInstant`, also with ` UTC`, and seconds, milliseconds or microseconds since 1970. Returns ISO 8601. */
export function instant(text: string, name: string): string {
  if (text !== latest.text || text === '') latest = { text, iso: isoOf(text, name) };
  return latest.iso;
}

/** A cache of one: successive transfers of a block share its time. */
let latest = { text: '', iso: '' };

function isoOf(text: string, name: string): string {
  const at = /^\d{9,16}$/.test(text) ? fromEpoch(text) : parseInstant(text.replace(/ ?UTC$/, ''));
  if (at === undefined) throw new Unusable(`${name} is no time`);
  return at.toISOString();
}

function fromEpoch(digits: string): Date {
  const perMillisecond = digits.length <= 11 ? 0.001 : digits.length <= 14 ? 1 : 1_000;
  return new Date(Math.trunc(Number(digits) / perMillisecond));
}
