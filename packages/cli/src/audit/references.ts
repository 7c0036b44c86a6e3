import type { AuditEntry } from '@weir/audit-writer';
import type { Codec, ScreeningDecided } from '@weir/contracts';
import { keptPolicy } from '@weir/decision';
import type { Queryable } from '@weir/postgres';
import type { LastLine } from './lines.ts';

/** Collects the policies and schemas that the exported entries name. */
export class References {
  readonly #db: Queryable;
  readonly #codec: Codec;
  readonly #policies = new Map<string, string>();
  readonly #schemas = new Map<number, string>();

  constructor(db: Queryable, codec: Codec) {
    this.#db = db;
    this.#codec = codec;
  }

  /** `data`: the decoded record; null where it cannot be decoded. */
  async see({ topic, value }: AuditEntry, data: unknown): Promise<void> {
    if (data === null) return;
    const id = value.readUInt32BE(1);
    if (!this.#schemas.has(id)) this.#schemas.set(id, (await this.#codec.schemaOf(value))?.schema ?? '');
    if (topic !== 'screenings.decided') return;
    const { policy_hash, shadow_policy_hash } = data as ScreeningDecided;
    for (const hash of [policy_hash, shadow_policy_hash])
      if (hash !== null && !this.#policies.has(hash)) this.#policies.set(hash, (await keptPolicy(this.#db, hash))?.text ?? '');
  }

  /** Undefined where it would say nothing. */
  lastLine(signed: { checkpoint: string; keys: string | null } | undefined): LastLine | undefined {
    if (signed === undefined && this.#schemas.size === 0) return undefined;
    return {
      checkpoint: signed?.checkpoint ?? null,
      keys: signed?.keys ?? null,
      policies: Object.fromEntries(this.#policies),
      schemas: Object.fromEntries(this.#schemas),
    };
  }
}
