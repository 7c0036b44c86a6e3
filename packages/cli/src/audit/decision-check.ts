import { Codec, fieldsSince, isEarlierVersion, topicSchemas, UndecodableRecord } from '@weir/contracts';
import { findUnlikeRows, type LoggedDecision, Rederivation } from '@weir/decision';
import { type Policy, PolicyError, parsePolicy } from '@weir/policy';
import type { Queryable } from '@weir/postgres';

/** An entry, of an export or of the database. */
interface Entry {
  readonly index: bigint | number;
  readonly event_id: string;
  readonly topic: string;
  readonly value: Buffer;
  readonly erased_by?: string | null;
}

/** Decisions that one statement compares with their rows. */
const rowsAtOnce = 500;

/** Derives each decision of the log again from what the log has. In an installation it also compares each with its row. */
export class DecisionCheck {
  readonly #codec: Codec;
  readonly #rederivation: Rederivation;
  readonly #onProblem: (text: string) => void;
  #erased = 0;
  readonly #fields = new Map<number, readonly string[]>();
  readonly #db: Queryable | undefined;
  readonly #uncompared: LoggedDecision[] = [];

  /** `db`: has the rows of decision. */
  constructor(codec: Codec, policies: ReadonlyMap<string, Policy>, onProblem: (text: string) => void, db?: Queryable) {
    this.#codec = codec;
    this.#rederivation = new Rederivation(codec, policies);
    this.#onProblem = onProblem;
    this.#db = db;
  }

  async see({ index, event_id, topic, value, erased_by }: Entry): Promise<void> {
    if (erased_by != null) {
      if (topic === 'screenings.decided') this.#erased += 1;
      return;
    }
    if (topic === 'screenings.scored') {
      const result = await this.#decode(topic, value);
      if (result !== undefined) this.#rederivation.seeResult(result);
    } else if (topic === 'reviews.resolved') {
      const resolution = await this.#decode(topic, value);
      if (resolution !== undefined) this.#rederivation.seeResolution(resolution);
    } else if (topic === 'screenings.decided') {
      const place = `entry ${index} (${event_id})`;
      const decided = await this.#decode(topic, value);
      if (decided === undefined) this.#onProblem(`${place}: the decision cannot be read`);
      else await this.#seeDecision({ place, decided, unknownFields: await this.#unknownFields(value) });
    }
  }

  /** Names what follows from nothing or is stored otherwise, and returns how many decisions there were. */
  async end(): Promise<number> {
    await this.#compareRows();
    for (const problem of this.#rederivation.problems()) this.#onProblem(problem);
    return this.#rederivation.count;
  }

  /** Decisions that nobody can derive again, because they are erased. */
  get erased(): number {
    return this.#erased;
  }

  async #seeDecision(decision: LoggedDecision): Promise<void> {
    this.#rederivation.seeDecision(decision);
    if (this.#db === undefined) return;
    this.#uncompared.push(decision);
    if (this.#uncompared.length >= rowsAtOnce) await this.#compareRows();
  }

  async #compareRows(): Promise<void> {
    const decisions = this.#uncompared.splice(0);
    if (this.#db === undefined || decisions.length === 0) return;
    for (const { logged, action } of await findUnlikeRows(this.#db, decisions)) {
      const { screening_id, revision, action: decided } = logged.decided;
      const stored = action === undefined ? 'has no row' : action === decided ? 'has other reasons or another policy' : `is ${action}`;
      this.#onProblem(
        `decision.decisions: decision ${revision} of screening ${screening_id} ${stored}, and ${logged.place} has ${decided}`,
      );
    }
  }

  async #decode<T extends 'screenings.scored' | 'reviews.resolved' | 'screenings.decided'>(topic: T, value: Buffer) {
    try {
      return await this.#codec.decode(topic, value);
    } catch (error) {
      if (error instanceof UndecodableRecord) return undefined;
      throw error;
    }
  }

  async #unknownFields(value: Buffer): Promise<readonly string[]> {
    const written = await this.#codec.schemaOf(value);
    if (written === undefined) return [];
    const known = this.#fields.get(written.id) ?? fieldsSince(written.schema, topicSchemas['screenings.decided']);
    this.#fields.set(written.id, known);
    return known;
  }
}

/** Policies by the hash of their text. One that this version cannot read is left out, so that its decisions are named. */
export function readPolicies(texts: Iterable<string>): Map<string, Policy> {
  const policies = new Map<string, Policy>();
  for (const text of texts) {
    try {
      const policy = parsePolicy(text);
      policies.set(policy.hash, policy);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
    }
  }
  return policies;
}

/** Numbers of schemas as a file has them. One that is no version of ours is not used: it could give bytes another meaning. */
export async function codecOfFile(schemas: Readonly<Record<string, string>>): Promise<Codec> {
  const current = Object.values(topicSchemas);
  const known = new Map(
    Object.entries(schemas)
      .filter(([, schema]) => current.some((own) => isEarlierVersion(schema, own)))
      .map(([id, schema]) => [Number(id), schema]),
  );
  // Numbers that no record has.
  let unused = 0xf000_0000;
  return Codec.open({
    register: async (_topic, schema) => [...known].find(([, text]) => text === schema)?.[0] ?? unused++,
    find: async (id) => known.get(id),
  });
}
