import { type Clock, repeat, Signal } from '@weir/clock';
import type { Session } from '@weir/postgres';
import { release } from './commits.ts';
import { gapError } from '../gap.ts';
import type { Database, Statement } from './database.ts';
import { claim, forgetMembers, type GroupState, readGroups, removeMembers } from './group-state.ts';
import type { Member } from './member.ts';
import { settings } from './settings.ts';
import { moves } from '../shares.ts';

const joinStatement: Statement = { name: 'weir_log_join', text: 'SELECT log.join_group($1, $2, $3, $4) AS group_id' };

export interface CoordinatorOptions {
  readonly database: Database;
  readonly session: Session;
  readonly clock: Clock;
  readonly gained: () => void;
  readonly onError: (error: unknown) => void;
}

/** Maintains group membership for this process's members: liveness, claims and releases of partitions. */
export class Coordinator {
  readonly #options: CoordinatorOptions;
  readonly #members = new Set<Member>();
  readonly #groupNames = new Map<number, string>();
  readonly #wakeup: Signal;
  readonly #loop: Promise<void>;
  /** Members that have gained partitions, and when. Monotonic. */
  readonly #gained = new Map<Member, number>();
  /** Members that must leave the group but may still be in it. */
  readonly #gone = new Set<string>();
  #looking: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(options: CoordinatorOptions) {
    this.#options = options;
    this.#wakeup = new Signal(options.clock);
    this.#loop = this.#run();
  }

  get members(): ReadonlySet<Member> {
    return this.#members;
  }

  async join(group: string, memberId: string, owner: string, topicIds: readonly number[]): Promise<number> {
    try {
      const [row] = await this.#options.database.run<{ group_id: number }>(joinStatement, [group, memberId, owner, topicIds]);
      const groupId = row?.group_id ?? 0;
      this.#groupNames.set(groupId, group);
      return groupId;
    } catch (error) {
      // The join may have succeeded, and the group would assign partitions that nobody reads.
      if (![...this.#members].some((member) => member.id === memberId)) this.#gone.add(memberId);
      throw error;
    }
  }

  add(member: Member): void {
    this.#members.add(member);
    this.#wakeup.notify();
  }

  /** A group changed; without an id, any may have. */
  changed(groupId?: number): void {
    if (groupId === undefined || this.#groupNames.has(groupId)) this.#wakeup.notify();
  }

  async remove(member: Member): Promise<void> {
    this.#members.delete(member);
    this.#gained.delete(member);
    await member.dispatcher.stop();
    // A pass in progress must not bring the member back.
    await this.#looking.catch(() => undefined);
    for (let attempt = 1; attempt <= settings.leaveAttempts; attempt++) {
      try {
        return await release(this.#options.database, member, member.owned, true);
      } catch (error) {
        this.#options.onError(error);
        await this.#options.clock.sleep(settings.pauseMs);
      }
    }
    // Without the database the session ends, and the member with it. Otherwise a later pass removes it.
    this.#gone.add(member.id);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { clock, onError } = this.#options;
    const { signal } = this.#stop;
    await repeat({ clock, every: settings.pauseMs, signal, onError }, async () => {
      await this.#wakeup.wait(settings.rebalanceEveryMs, signal);
      if (signal.aborted || this.#members.size + this.#gone.size === 0) return 0;
      this.#looking = this.#look();
      await this.#looking;
      return 0;
    });
  }

  async #look(): Promise<void> {
    const { database } = this.#options;
    await this.#sweep();
    this.#readAgain();
    const members = [...this.#members];
    const state = await readGroups(database, [...new Set(members.map((member) => member.groupId))]);
    const mine = new Set(members.map((member) => member.id));
    const dead = state.members.filter((member) => !member.alive && !mine.has(member.id));
    for (const member of members) {
      if (!this.#members.has(member)) continue;
      this.#notice(member, state);
      if (await this.#rejoined(member, state)) continue;
      await this.#share(member, state);
    }
    await forgetMembers(
      database,
      dead.map((member) => member.id),
    );
  }

  async #sweep(): Promise<void> {
    const gone = [...this.#gone];
    if (gone.length === 0) return;
    await removeMembers(this.#options.database, gone);
    for (const id of gone) this.#gone.delete(id);
  }

  /** Another process may have appended before it saw this member, so without a notification, and committed after its first read. */
  #readAgain(): void {
    const before = this.#options.clock.monotonic() - settings.rebalanceEveryMs;
    const due = [...this.#gained].flatMap(([member, at]) => (at <= before ? [member] : []));
    for (const member of due) {
      this.#gained.delete(member);
      member.readAgain();
    }
    if (due.length > 0) this.#options.gained();
  }

  #notice(member: Member, state: GroupState): void {
    const epochs = new Map(
      state.partitions
        .filter((row) => row.group_id === member.groupId && row.member === member.id)
        .map((row) => [`${row.topic}/${row.partition}`, row.epoch]),
    );
    for (const owned of member.owned) {
      const epoch = epochs.get(`${owned.topicId}/${owned.assignment.partition}`);
      if (epoch !== owned.epoch) member.lose(owned);
    }
  }

  /** Others may have declared the member dead during a reconnect. */
  async #rejoined(member: Member, state: GroupState): Promise<boolean> {
    const owner = this.#options.session.owner();
    const row = state.members.find((each) => each.id === member.id);
    if (row !== undefined && row.owner === owner) return false;
    await this.join(this.#groupNames.get(member.groupId) ?? '', member.id, owner, [...member.topics.keys()]);
    return true;
  }

  async #share(member: Member, state: GroupState): Promise<void> {
    const living = state.members.filter((each) => each.group_id === member.groupId && each.alive);
    if (!living.some((each) => each.id === member.id)) return;
    const partitions = state.partitions.filter((each) => each.group_id === member.groupId);
    for (const [topic, all] of Map.groupBy(partitions, (each) => each.topic)) member.noteCount(topic, all.length);
    // After a lost answer we own a partition unknowingly: claim it again.
    const known = partitions.map((each) =>
      each.member === member.id && !member.find(each.topic, each.partition) ? { ...each, member: null } : each,
    );
    const { claim: wanted, release: given } = moves(member.id, living, known);
    for (const gap of await claim(this.#options.database, member, wanted)) this.#options.onError(gapError(gap));
    if (wanted.length > 0) {
      this.#gained.set(member, this.#options.clock.monotonic());
      this.#options.gained();
    }
    for (const each of given) {
      const owned = member.find(each.topic, each.partition);
      if (owned !== undefined && !owned.assignment.halted.aborted) void this.#giveUp(member, owned.topicId, owned.assignment.partition);
    }
  }

  async #giveUp(member: Member, topicId: number, partition: number): Promise<void> {
    const owned = member.find(topicId, partition);
    if (owned === undefined) return;
    await member.dispatcher.drain(owned.assignment);
    try {
      if (this.#members.has(member)) await release(this.#options.database, member, [owned], false);
    } catch (error) {
      this.#options.onError(error);
      // Dropping is right whether or not the release happened.
      member.lose(owned);
    }
  }
}
