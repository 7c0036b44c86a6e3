import { ErasureCheck } from '@weir/audit-log';
import { erasureActOf } from '@weir/audit-writer';
import { type ActivityRecorded, Codec, topicSchemas } from '@weir/contracts';
import { decodeRecord } from '@weir/service-kit';

/** An entry, of an export or of the database. */
interface Entry {
  readonly index: bigint | number;
  readonly event_id: string;
  readonly topic: string;
  readonly event_time: string;
  readonly value: Buffer;
  readonly erased_by?: string | null;
}

/** Compares erased entries with the acts of erasure in the same log. */
export class ActCheck {
  readonly #codec: Codec;
  readonly #check = new ErasureCheck();
  readonly #texts = new Map<string, string>();

  private constructor(codec: Codec) {
    this.#codec = codec;
  }

  /** Activities have had one schema so far, so neither a registry nor the log has to name it. */
  static async open(): Promise<ActCheck> {
    let ids = 0;
    return new ActCheck(await Codec.open({ register: async () => ++ids, find: async () => topicSchemas['activities.recorded'] }));
  }

  /** Only an entry that fits its leaf counts as an act. */
  async see(entry: Entry, fits: boolean): Promise<void> {
    const { event_id, event_time, erased_by = null } = entry;
    const index = Number(entry.index);
    if (erased_by !== null) return this.#check.seeErased(index, { erased_by, event_time });
    if (!fits || entry.topic !== 'activities.recorded') return;
    const activity = (await decodeRecord(entry.topic, entry.value, this.#codec)) as ActivityRecorded | null;
    const act = activity === null ? undefined : erasureActOf({ event_id, index }, activity);
    if (act === undefined) return;
    this.#check.seeAct(act);
    this.#texts.set(event_id, act.text);
  }

  /** Names what contradicts the acts. */
  end({ isPart, onProblem }: { readonly isPart: boolean; readonly onProblem: (text: string) => void }): void {
    for (const problem of this.#check.problems({ isPart })) onProblem(problem);
  }

  /** For people: empty where nothing is erased. */
  get summary(): string {
    const { count } = this.#check;
    return count === 0 ? '' : `, ${count} of them erased by ${this.#texts.size} ${this.#texts.size === 1 ? 'act' : 'acts'}`;
  }

  /** One line for each act. */
  get acts(): readonly string[] {
    return [...this.#texts].map(([id, text]) => `  erasure ${id}: ${text}`);
  }
}
