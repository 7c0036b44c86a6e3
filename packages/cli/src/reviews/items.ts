import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { UsageError } from '../failure.ts';

/** A review in a list. */
export interface Item {
  readonly screening_id: string;
  /** Undefined: the latest at that time. */
  readonly revision: number | undefined;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The list from a file, or from stdin for `-`, in the JSON of `weir policy held --json` and `weir reviews list --json`. Each screening
 * once.
 */
export async function readItems(file: string): Promise<Item[]> {
  const name = file === '-' ? 'stdin' : file;
  if (file === '-' && process.stdin.isTTY)
    throw new UsageError('give a file, or the list on stdin: weir policy held --json | weir reviews …');
  let content: string;
  try {
    content = file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'no text'}`);
  }
  const list = parse(content, name);
  const items = list.map((one, n) => toItem(one, `${name}, item ${n + 1}`));
  const byId = new Map<string, Item>();
  for (const item of items) {
    const before = byId.get(item.screening_id);
    if (before !== undefined && before.revision !== item.revision)
      throw new UsageError(`${name} names ${item.screening_id} with two revisions`);
    byId.set(item.screening_id, item);
  }
  return [...byId.values()];
}

function parse(content: string, name: string): unknown[] {
  try {
    const value: unknown = JSON.parse(content);
    if (Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${name} is no JSON list; "weir policy held --json" writes one`);
}

function toItem(value: unknown, where: string): Item {
  const { screening_id, revision } = (value ?? {}) as Record<string, unknown>;
  if (typeof screening_id !== 'string' || !uuid.test(screening_id)) throw new UsageError(`${where}: screening_id is not one`);
  if (revision !== undefined && (!Number.isSafeInteger(revision) || (revision as number) < 1)) {
    throw new UsageError(`${where}: revision is not one`);
  }
  return { screening_id: screening_id.toLowerCase(), revision: revision as number | undefined };
}
