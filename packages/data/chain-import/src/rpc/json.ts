import { NodeError } from './node.ts';

export type Json = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown, what: string): Json {
  if (typeof value !== 'object' || value === null) throw new NodeError(`the node does not have ${what}`);
  return value as Json;
}

export function listOf(value: unknown, what: string): Json[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'object' && item !== null))
    throw new NodeError(`the node does not give ${what}`);
  return value as Json[];
}

export function textOf(object: Json, name: string): string {
  const value = object[name];
  if (typeof value !== 'string') throw new NodeError(`the node gives no ${name}`);
  return value;
}
