import { existsSync, readFileSync, statSync } from 'node:fs';
import { leafHash, missingLeaf, type OpenedCheckpoint, TreeBuilder, verifyInclusion } from '@weir/audit-log';
import { systemClock } from '@weir/clock';
import { UsageError } from '../failure.ts';
import { openProgress } from '../progress.ts';
import { note } from '../output.ts';
import { ActCheck } from './acts.ts';
import { checkCheckpoint, type NamedCheckpoint, openSigned, sizeOf } from './check-checkpoint.ts';
import type { Codec } from '@weir/contracts';
import { dataProblem } from './data-check.ts';
import { codecOfFile, DecisionCheck, readPolicies } from './decision-check.ts';
import { type EntryLine, type LastLine, lineProblem, linesOf, parseLine, readLastLine } from './lines.ts';
import { Problems } from './problems.ts';

export interface VerifyFlags {
  readonly key?: string[];
  readonly checkpoint?: string;
  readonly json?: true;
}

/** Rejects if anything does not verify, after naming each problem. Needs nothing but the file and a key. */
export async function verifyFile(file: string, flags: VerifyFlags): Promise<void> {
  for (const path of [file, flags.checkpoint])
    if (path !== undefined && !existsSync(path)) throw new UsageError(`there is no file ${path}`);
  const problems = new Problems();
  const last = await readLastLine(file);
  const signed: NamedCheckpoint | undefined =
    last?.checkpoint == null ? undefined : { name: 'the checkpoint of the file', note: last.checkpoint };
  const earlier = flags.checkpoint === undefined ? undefined : { name: flags.checkpoint, note: readFileSync(flags.checkpoint, 'utf8') };
  const keys = flags.key ?? last?.keys?.split('\n') ?? [];
  if (signed === undefined) problems.add('the file has no checkpoint: nothing is signed');
  const acts = await ActCheck.open();
  const codec = last?.schemas === undefined ? undefined : await codecOfFile(last.schemas);
  const run = new FileRun(file, problems, { decisions: await decisionCheck(last, problems), acts, codec });
  const proving = signed === undefined ? undefined : openSigned(signed, keys, () => undefined);
  await run.read(
    [signed, earlier].flatMap((each) => (each === undefined ? [] : [sizeOf(each)])),
    proving,
  );
  if (run.isPart) requireSigned(signed, keys, earlier, problems);
  else for (const checkpoint of [signed, earlier]) if (checkpoint !== undefined) checkCheckpoint(checkpoint, keys, run.roots, problems.add);
  await problems.requireNone(`${run.count} entries of ${file}`, { entries: run.count, isJson: flags.json === true });
  for (const act of acts.acts) note(act);
  note(
    `${run.summary(proving?.size ?? 0)}${flags.key === undefined ? ', with the key in the file; compare it with one that you got another way' : ''}.`,
  );
}

async function decisionCheck(last: LastLine | undefined, problems: Problems): Promise<DecisionCheck | undefined> {
  if (last?.policies === undefined) return undefined;
  return new DecisionCheck(await codecOfFile(last.schemas ?? {}), readPolicies(Object.values(last.policies)), problems.add);
}

/** They are neither verified nor wrong. */
export function erasedDecisions(decisions: DecisionCheck): string {
  return decisions.erased === 0 ? '' : `, ${decisions.erased} are erased and cannot be derived again`;
}

/** A part of the log has proofs of its entries instead of the whole tree. */
function requireSigned(
  signed: NamedCheckpoint | undefined,
  keys: readonly string[],
  earlier: NamedCheckpoint | undefined,
  problems: Problems,
): void {
  if (signed !== undefined) openSigned(signed, keys, problems.add);
  if (earlier !== undefined) problems.add('a part of the log cannot be compared with an earlier checkpoint: export all of it');
}

/** Reads an export once. */
class FileRun {
  readonly #file: string;
  readonly #problems: Problems;
  readonly #decisions: DecisionCheck | undefined;
  readonly #acts: ActCheck;
  readonly #codec: Codec | undefined;
  #tree = new TreeBuilder([]);
  #proving: OpenedCheckpoint | undefined;
  #decided = 0;
  #unsigned = 0;
  count = 0;
  /** Undefined before the first entry. */
  isPart: boolean | undefined;

  constructor(
    file: string,
    problems: Problems,
    { decisions, acts, codec }: { decisions: DecisionCheck | undefined; acts: ActCheck; codec: Codec | undefined },
  ) {
    this.#file = file;
    this.#problems = problems;
    this.#decisions = decisions;
    this.#acts = acts;
    this.#codec = codec;
  }

  get roots(): ReadonlyMap<number, Buffer> {
    return this.#tree.roots;
  }

  async read(sizes: readonly number[], proving: OpenedCheckpoint | undefined): Promise<void> {
    this.#tree = new TreeBuilder(sizes);
    this.#proving = proving;
    const progress = openProgress(systemClock);
    const { size } = statSync(this.#file);
    let bytes = 0;
    for await (const text of linesOf(this.#file)) {
      bytes += Buffer.byteLength(text) + 1;
      if (text === '') continue;
      const line = parseLine(text);
      if (line === undefined) this.#problems.add(`the line after ${this.count} entries is not of an export`);
      else if (!('checkpoint' in line)) await this.#readEntry(line);
      progress.show(bytes, size, `bytes, ${this.count} entries`);
    }
    progress.clear();
    // Of a part, results may be left out.
    if (this.isPart !== true) this.#decided = (await this.#decisions?.end()) ?? 0;
    this.#acts.end({ isPart: this.isPart === true, onProblem: this.#problems.add });
  }

  summary(covered: number): string {
    const entries = `${this.count} ${this.count === 1 ? 'entry verifies' : 'entries verify'}${this.#acts.summary}`;
    const after = this.isPart === true ? this.#unsigned : this.count - covered;
    const read = this.#codec === undefined ? '; the file has no schemas, so the data that people read was not compared' : '';
    const rest = read + (after > 0 ? `; the last ${after} came after the checkpoint and ${after === 1 ? 'is' : 'are'} not signed yet` : '');
    if (this.isPart === true) return `${entries} as a part of the log, whose decisions are not derived again${rest}`;
    const decisions =
      this.#decisions === undefined
        ? ''
        : `, ${this.#decided} decisions follow from their evidence and policies${erasedDecisions(this.#decisions)}`;
    return `${entries}${decisions}${rest}`;
  }

  async #readEntry(line: EntryLine): Promise<void> {
    this.isPart ??= line.inclusion_proof !== undefined;
    const name = `entry ${line.index} (${line.event_id})`;
    const at = this.#tree.frontier.size;
    if (!this.isPart && line.index !== at) this.#problems.add(`${name} stands where entry ${at} belongs`);
    const problem = lineProblem(line);
    if (problem !== undefined) this.#problems.add(`${name} ${problem}`);
    if (this.isPart) this.#checkProof(name, line);
    else {
      const leaf = Buffer.from(line.leaf_hash ?? '', 'base64');
      this.#tree.add(leaf.length === 32 ? leaf : leafHash(missingLeaf));
    }
    this.count += 1;
    const entry = { ...line, value: Buffer.from(line.value_base64 ?? '', 'base64') };
    const unlike = this.#codec === undefined ? undefined : await dataProblem(line, entry.value, this.#codec);
    if (unlike !== undefined) this.#problems.add(`${name} ${unlike}`);
    await this.#acts.see(entry, problem === undefined);
    if (!this.isPart) await this.#decisions?.see(entry);
  }

  #checkProof(name: string, { index, leaf_hash, inclusion_proof }: EntryLine): void {
    if (this.#proving === undefined) return;
    const { size, root } = this.#proving;
    if (index >= size && inclusion_proof == null) {
      this.#unsigned += 1;
      return;
    }
    const proof = (inclusion_proof ?? []).map((each) => Buffer.from(each, 'base64'));
    if (!verifyInclusion({ index, leaf: Buffer.from(leaf_hash ?? '', 'base64'), size, root, proof }))
      this.#problems.add(`${name} is not in the tree of the checkpoint`);
  }
}
