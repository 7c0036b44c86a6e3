import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  appendLeaves,
  commitment,
  emptyFrontier,
  type Frontier,
  leafHash,
  leafOf,
  missingLeaf,
  NoteError,
  NoteKeyError,
  openCheckpoint,
  type OpenedCheckpoint,
  parseVerifierKey,
  rootOf,
} from '@weir/audit-log';
import { note } from '../output.ts';

interface Line {
  readonly index: number;
  readonly event_id: string;
  readonly conflicts_with: string | null;
  readonly topic: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly screening_id: string | null;
  readonly value_base64: string;
  readonly log_partition: number;
  readonly log_offset: number;
  readonly event_time: string;
  readonly recorded_at: string;
  readonly salt: string | null;
  readonly leaf_hash: string | null;
}

interface Signed {
  readonly checkpoint: string;
  readonly keys: string | null;
}

/** Problems shown; further ones are counted. */
const shown = 100;

/** Rejects if anything does not verify, after naming each problem. Needs nothing but the file and a key. */
export async function verifyFile(file: string, flags: { key?: string[]; checkpoint?: string }): Promise<void> {
  const problems: string[] = [];
  const signed = await findSigned(file);
  const earlier = flags.checkpoint === undefined ? undefined : readFileSync(flags.checkpoint, 'utf8');
  const { roots, size } = await readTree(file, [signed?.checkpoint, earlier].map(sizeOf), problems);
  const keys = flags.key ?? signed?.keys?.split('\n') ?? [];
  if (signed === undefined) problems.push('the file has no checkpoint: nothing is signed');
  else check('the checkpoint of the file', signed.checkpoint, keys, roots, problems);
  if (flags.checkpoint !== undefined && earlier !== undefined) check(flags.checkpoint, earlier, keys, roots, problems);
  for (const problem of problems.slice(0, shown)) note(`  ${problem}`);
  if (problems.length > 0)
    throw new Error(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in ${size} entries of ${file}`);
  note(
    `${size} entries verify${flags.key === undefined ? ', with the key in the file; compare it with one that you got another way' : ''}.`,
  );
}

/** The tree of the file: the hash of each leaf as the line has it, where an entry is missing or does not fit too. */
async function readTree(file: string, sizes: readonly number[], problems: string[]) {
  // Only of the sizes that a checkpoint is over.
  const roots = new Map<number, Buffer>(sizes.includes(0) ? [[0, rootOf(emptyFrontier)]] : []);
  let frontier: Frontier = emptyFrontier;
  for await (const text of linesOf(file)) {
    if (text === '') continue;
    const line = parsed(text);
    if (line === undefined) problems.push(`a line after entry ${frontier.size - 1} is not of an export`);
    else if (!('checkpoint' in line)) {
      if (line.index !== frontier.size) problems.push(`entry ${line.index} (${line.event_id}) stands where entry ${frontier.size} belongs`);
      const hash = hashOf(line);
      if (hash === undefined || hash.toString('base64') !== line.leaf_hash)
        problems.push(`entry ${line.index} (${line.event_id}) is not the one of its leaf`);
      const leaf = Buffer.from(line.leaf_hash ?? '', 'base64');
      frontier = appendLeaves(frontier, [leaf.length === 32 ? leaf : leafHash(missingLeaf)]).frontier;
      if (sizes.includes(frontier.size)) roots.set(frontier.size, rootOf(frontier));
    }
  }
  return { roots, size: frontier.size };
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

/** The last line of a checkpoint. */
async function findSigned(file: string): Promise<Signed | undefined> {
  let found: Signed | undefined;
  for await (const text of linesOf(file)) {
    const line = text.startsWith('{"checkpoint"') ? parsed(text) : undefined;
    if (line !== undefined && 'checkpoint' in line) found = line;
  }
  return found;
}

/** As written, not yet verified; -1 for none. */
function sizeOf(checkpoint: string | undefined): number {
  return Number(checkpoint?.split('\n')[1] ?? -1);
}

function parsed(text: string): Line | Signed | undefined {
  try {
    const line: unknown = JSON.parse(text);
    const isObject = typeof line === 'object' && line !== null;
    return isObject && ('checkpoint' in line || 'event_id' in line) ? (line as Line | Signed) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for a line that is no entry. */
function hashOf(line: Line): Buffer | undefined {
  try {
    const entry = { ...line, value: Buffer.from(line.value_base64, 'base64'), log_offset: BigInt(line.log_offset) };
    return leafHash(leafOf(entry, commitment(Buffer.from(line.salt ?? '', 'base64'), entry)));
  } catch {
    return undefined;
  }
}

function check(what: string, text: string, keys: readonly string[], roots: ReadonlyMap<number, Buffer>, problems: string[]): void {
  let opened: OpenedCheckpoint;
  try {
    opened = openCheckpoint(text, keys.map(parseVerifierKey));
  } catch (error) {
    if (!(error instanceof NoteError || error instanceof NoteKeyError)) throw error;
    problems.push(`${what}: ${error.message}`);
    return;
  }
  const root = roots.get(opened.size);
  if (root === undefined) problems.push(`${what} is over ${opened.size} entries, and the file has fewer`);
  else if (!root.equals(opened.root)) problems.push(`${what} is over another tree of ${opened.size} entries`);
}
