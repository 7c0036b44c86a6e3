import {
  type AddCheckpoint,
  cosignNote,
  NoteError,
  openCheckpoint,
  parseCheckpoint,
  parseNote,
  type SignerKey,
  type VerifierKey,
  verifyConsistency,
} from '@weir/audit-log';
import type { Clock } from '@weir/clock';
import { advisoryLock, type Pool, transaction } from '@weir/postgres';
import type { LastCheckpoint } from '../last-checkpoint.ts';

export interface WitnessOptions {
  /** Replicas take turns through it. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly signer: SignerKey;
  /** Keys of the logs whose checkpoints are cosigned. */
  readonly logs: readonly VerifierKey[];
  /** The last cosigned checkpoint of a log, kept outside the database. */
  readonly lastOf: (origin: string) => LastCheckpoint;
}

/** Answers of C2SP tlog-witness to add-checkpoint. */
export type Cosigned =
  /** `signature` is a line of a note. */
  | { readonly kind: 'cosigned'; readonly signature: string }
  | { readonly kind: 'malformed' | 'unknown' | 'unsigned' | 'shrinking' | 'unproven' | 'forked'; readonly detail: string }
  /** The caller must prove growth from `size`. */
  | { readonly kind: 'outdated'; readonly size: number };

/** Cosigns each log's checkpoints as long as each begins with the one before. It never signs two histories of a log. */
export class Witness {
  readonly #options: WitnessOptions;

  constructor(options: WitnessOptions) {
    this.#options = options;
  }

  /** What verifies the cosignatures. */
  get key(): VerifierKey {
    return this.#options.signer.verifier;
  }

  async add(request: AddCheckpoint): Promise<Cosigned> {
    const checkpoint = this.#open(request.note);
    if ('kind' in checkpoint) return checkpoint;
    return transaction(this.#options.pool, async (tx) => {
      await tx.query(`SELECT ${advisoryLock('audit-witness')}`);
      return this.#cosign(request, checkpoint);
    });
  }

  #cosign({ old, proof, note }: AddCheckpoint, second: { origin: string; size: number; root: Buffer }): Cosigned {
    const { clock, signer, lastOf } = this.#options;
    if (old > second.size) return { kind: 'shrinking', detail: `old ${old} is larger than the checkpoint of ${second.size} leaves` };
    const last = lastOf(second.origin);
    const kept = last.read();
    const first = kept === undefined ? undefined : parseCheckpoint(parseNote(kept).text);
    if (old !== (first?.size ?? 0)) return { kind: 'outdated', size: first?.size ?? 0 };
    if (first !== undefined && first.size === second.size && !first.root.equals(second.root))
      return { kind: 'forked', detail: `another tree of ${second.size} leaves was cosigned before` };
    // Every tree begins with the empty one, and nothing proves it.
    const isProven = old === 0 ? proof.length === 0 : first !== undefined && verifyConsistency({ first, second, proof });
    if (!isProven) return { kind: 'unproven', detail: `the proof does not show that the tree begins with that of ${old} leaves` };
    const cosigned = cosignNote(note, signer, Math.floor(clock.now() / 1_000));
    // First kept: a cosignature that was given is never forgotten.
    last.write(note);
    return { kind: 'cosigned', signature: cosigned.slice(note.length) };
  }

  #open(note: string): { origin: string; size: number; root: Buffer } | Cosigned {
    try {
      const { origin } = parseCheckpoint(parseNote(note).text);
      const keys = this.#options.logs.filter(({ name }) => name === origin);
      if (keys.length === 0) return { kind: 'unknown', detail: `the log ${origin} is not among WEIR_AUDIT_WITNESS_OF` };
      return openCheckpoint(note, keys);
    } catch (error) {
      if (!(error instanceof NoteError)) throw error;
      return { kind: error.code === 'NOTE_MALFORMED' ? 'malformed' : 'unsigned', detail: error.message };
    }
  }
}
