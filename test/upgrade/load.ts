import { randomUUID } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { type Action, screeningId } from '@weir/contracts';
import { type Kind, kinds } from './chain-data.ts';

export type Role = 'ingest' | 'gate' | 'reviewer' | 'approver';

/** Where callers find the replicas that are not about to stop. */
export interface Place {
  urls(role: Role): readonly string[];
  token(role: Role): string;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly [Field in 'code' | 'screening_id' | 'status' | 'permit' | 'redemption_id' | 'resolution_id']?: string };
}

/** The decision that the last phase must end with. */
interface Expected {
  readonly id: string;
  readonly action: Action;
}

interface Permit {
  readonly token: string;
  readonly terms: object;
  readonly withdrawal: string;
}

const exchangeAddress = '0x28c6c06298d514db089934071355e5743bf21d60';
const waitSeconds = 20;
const retryMs = 250;
/** Transfers at once: more would only wait while an installation is down. */
const mostOpen = 40;
/** A transfer without an answer for longer is a violation. */
const answerLimitMs = 120_000;
const statusOf = { allow: 'allowed', review: 'held', block: 'blocked' } as const;

export interface LoadOptions {
  readonly perSecond: number;
  readonly random: () => number;
}

/** Deposits and withdrawals at a steady rate. Each is repeated under its id until it is answered, some are repeated once more. */
export class Load {
  /** Acknowledged transfers by screening. */
  readonly transfers = new Map<string, Expected>();
  /** Calls that were not answered, or with 5xx or 429, as `phase: call: answer`. */
  readonly refusals: string[] = [];
  readonly violations: string[] = [];
  /** Where the test is, for `refusals`. */
  phase = '';
  /** Transfers of which all calls are answered. */
  ended = 0;
  redeemed = 0;
  resolved = 0;
  readonly #place: Place;
  readonly #random: () => number;
  readonly #kept: Permit[] = [];
  readonly #spent: Permit[] = [];
  readonly #open = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #pacer: Promise<void>;
  #turn = 0;

  constructor(place: Place, { perSecond, random }: LoadOptions) {
    this.#place = place;
    this.#random = random;
    this.#pacer = this.#pace(1_000 / perSecond);
  }

  /** Resolves when every started transfer has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#pacer;
    await Promise.all(this.#open);
  }

  /** Redeems the permits that an earlier phase left. */
  async redeemKept(): Promise<void> {
    await Promise.all(this.#kept.splice(0).map((permit) => this.#redeem(permit)));
  }

  /** Tries every redeemed permit once more. */
  async redeemAgain(): Promise<void> {
    for (const permit of this.#spent) {
      const { status } = await this.#tryRedeem(permit, randomUUID());
      if (status !== 409) this.violations.push(`the permit of ${permit.withdrawal} again: ${status}`);
    }
  }

  async #pace(everyMs: number): Promise<void> {
    const began = systemClock.monotonic();
    for (let n = 0; !this.#stop.signal.aborted; n += 1) {
      const going: Promise<void> = this.#transfer(n)
        .catch((error: unknown) => void this.violations.push(String(error)))
        .finally(() => {
          this.ended += 1;
          this.#open.delete(going);
        });
      this.#open.add(going);
      while (this.#open.size >= mostOpen) await Promise.race(this.#open);
      await systemClock.sleep(Math.max(0, began + (n + 1) * everyMs - systemClock.monotonic()), this.#stop.signal);
    }
  }

  async #transfer(n: number): Promise<void> {
    const [kind, isDeposit, isRepeated, isKept] = [this.#pickKind(), this.#random() < 0.5, this.#random() < 0.05, this.#random() < 0.5];
    const address = kind.addresses[Math.floor(this.#random() * kind.addresses.length)] ?? '';
    const terms = { coin: 'ETH', amount: '0.5', usd_value: '1000', user_id: `user ${n % 100}` };
    if (isDeposit)
      await this.#deposit({ deposit_id: `in-${n}`, from_address: address, to_address: exchangeAddress, ...terms }, kind, isRepeated);
    else await this.#withdraw({ withdrawal_id: `out-${n}`, to_address: address, ...terms }, kind, { isRepeated, isKept });
  }

  #pickKind(): Kind {
    const drawn = this.#random();
    return drawn < 0.8 ? kinds.customer : drawn < 0.9 ? kinds.listed : kinds.unknown;
  }

  async #deposit(
    body: { readonly deposit_id: string; readonly from_address: string; readonly to_address: string },
    kind: Kind,
    isRepeated: boolean,
  ): Promise<void> {
    const id = body.deposit_id;
    for (let posts = isRepeated ? 2 : 1; posts > 0; posts -= 1) {
      const answer = await this.#ask('ingest', '/v1/deposits', body);
      this.#expect(id, [200, 202].includes(answer.status) && answer.body.screening_id === screeningId('deposit', id), answer);
      this.transfers.set(screeningId('deposit', id), { id, action: kind.action });
    }
  }

  async #withdraw(
    body: { readonly withdrawal_id: string; readonly to_address: string; readonly amount: string },
    kind: Kind,
    { isRepeated, isKept }: { isRepeated: boolean; isKept: boolean },
  ): Promise<void> {
    const id = body.withdrawal_id;
    const post = (): Promise<Answer> => this.#ask('gate', '/v1/withdrawals', body);
    let answer = await post();
    for (const end = systemClock.monotonic() + answerLimitMs; answer.status === 202 && systemClock.monotonic() < end; )
      answer = await post();
    this.transfers.set(screeningId('withdrawal', id), { id, action: kind.action });
    if (!this.#expect(id, answer.status === 200 && answer.body.status === statusOf[kind.action], answer)) return;
    if (isRepeated) {
      const again = await post();
      this.#expect(id, again.body.status === answer.body.status, again);
    }
    if (kind.action === 'review' && isKept) return this.#block(id);
    if (kind.action !== 'allow' || !this.#expect(id, answer.body.permit !== undefined, answer)) return;
    const terms = { chain: 'ethereum', coin: 'ETH', to_address: body.to_address, amount: body.amount };
    const permit = { token: answer.body.permit ?? '', terms, withdrawal: id };
    if (isKept) this.#kept.push(permit);
    else await this.#redeem(permit);
  }

  /** Two people block it. The console may not have read the decision yet. */
  async #block(id: string): Promise<void> {
    const screening = screeningId('withdrawal', id);
    const resolve = (): Promise<Answer> =>
      this.#ask('reviewer', `/v1/reviews/${screening}/resolutions`, { action: 'block', reason: 'the receiver is unknown' });
    let answer = await resolve();
    const end = systemClock.monotonic() + answerLimitMs;
    while (answer.body.resolution_id === undefined && systemClock.monotonic() < end) {
      await systemClock.sleep(200);
      answer = await resolve();
    }
    const approval = { resolution_id: answer.body.resolution_id, approve: true };
    const approved = await this.#ask('approver', `/v1/reviews/${screening}/approvals`, approval);
    this.transfers.set(screening, { id, action: 'block' });
    this.#expect(id, approved.status === 200, approved);
    this.resolved += 1;
  }

  async #redeem(permit: Permit): Promise<void> {
    const first = randomUUID();
    const answer = await this.#tryRedeem(permit, first);
    // 409 with its own name: the answer to an earlier try was lost.
    const isOwn = answer.status === 200 || (answer.status === 409 && answer.body.redemption_id === first);
    this.#expect(permit.withdrawal, isOwn, answer);
    const again = await this.#tryRedeem(permit, randomUUID());
    this.#expect(permit.withdrawal, again.status === 409 && again.body.redemption_id === first, again);
    this.redeemed += 1;
    this.#spent.push(permit);
  }

  #tryRedeem({ token, terms }: Permit, redemption_id: string): Promise<Answer> {
    return this.#ask('gate', '/v1/permits/redeem', { permit: token, redemption_id, ...terms });
  }

  #expect(id: string, isRight: boolean, { status, body }: Answer): boolean {
    if (!isRight) this.violations.push(`${this.phase}: ${id}: ${status} ${JSON.stringify({ ...body, permit: undefined })}`);
    return isRight;
  }

  /** At the next replica, again and again until it is answered. */
  async #ask(role: Role, path: string, body: object): Promise<Answer> {
    const end = systemClock.monotonic() + answerLimitMs;
    for (;;) {
      const { phase } = this;
      const urls = this.#place.urls(role);
      const answer = await this.#askOnce(`${urls[this.#turn++ % urls.length]}${path}`, role, body);
      if (answer.status !== 0 && answer.status !== 429 && answer.status < 500) return answer;
      this.refusals.push(`${phase}: ${path}: ${answer.status} ${answer.body.code}`);
      if (systemClock.monotonic() > end)
        throw new Error(`${path} was not answered in ${answerLimitMs / 1_000} s: ${answer.status} ${answer.body.code}`);
      await systemClock.sleep(retryMs);
    }
  }

  async #askOnce(url: string, role: Role, body: object): Promise<Answer> {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.#place.token(role)}`, 'content-type': 'application/json', prefer: `wait=${waitSeconds}` },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(3 * waitSeconds * 1_000),
      });
      return { status: answer.status, body: (await answer.json()) as Answer['body'] };
    } catch (error) {
      const { cause, message } = error as { cause?: { code?: string }; message: string };
      return { status: 0, body: { code: cause?.code ?? message } };
    }
  }
}
