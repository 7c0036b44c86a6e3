import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { sizeOf } from '../../packages/cli/src/audit/check-checkpoint.ts';
import { knownOutside, verifyLog } from '../../packages/cli/src/audit/verify-log.ts';

const everyMs = 50;
/** Each costs the verifier one root. */
const mostKept = 500;

/** Collects the checkpoints of the audit log as they are signed, and verifies the log against all of them. */
export class CheckpointWatch {
  readonly #auditDir: string;
  readonly #notes: string[] = [];
  readonly #shrunk: string[] = [];

  constructor(auditDir: string) {
    this.#auditDir = auditDir;
  }

  /** Until `signal` aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.look();
      await systemClock.sleep(everyMs, signal);
    }
  }

  look(): void {
    const file = join(this.#auditDir, 'audit-checkpoint');
    const note = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    const last = this.#notes.at(-1);
    if (note === undefined || note === last) return;
    const sizes = [last, note].map((each) => (each === undefined ? 0 : sizeOf({ name: file, note: each })));
    if ((sizes[1] ?? 0) < (sizes[0] ?? 0)) this.#shrunk.push(`a checkpoint of ${sizes[1]} followed one of ${sizes[0]}`);
    this.#notes.push(note);
    if (this.#notes.length > mostKept) this.#notes.splice(1, 1);
  }

  /** Leaves, hashes, root and signatures of the whole log, which must begin with the tree of each checkpoint that was seen. */
  async problems(db: Queryable): Promise<string[]> {
    const problems = [...this.#shrunk];
    const known = knownOutside({ auditDir: this.#auditDir, dataDir: '' });
    const seen = this.#notes.map((note, n) => ({ name: `checkpoint ${n + 1} of those seen`, note }));
    await verifyLog(db, { known: { ...known, checkpoints: [...known.checkpoints, ...seen] }, onProblem: (text) => problems.push(text) });
    return problems;
  }
}
