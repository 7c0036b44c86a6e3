import type { Kind } from '@weir/contracts';
import { type Compared, countHeldWithoutEvidence, judge, readHeld, withHistory } from '@weir/decision';
import type { Policy } from '@weir/policy';
import type { Queryable } from '@weir/postgres';
import type { PlaceFlags } from '../flags.ts';
import { note, plain, print, printJsonList } from '../output.ts';
import { itemOf } from './item.ts';
import { parseNamed, textOf, withDecisions } from './resolve.ts';

interface HeldFlags extends PlaceFlags {
  readonly policy: string;
  readonly kind?: Kind;
  readonly json?: true;
}

/** Held transfers that the policy would allow now. Releasing them takes a review by two people. */
export async function listHeld(flags: HeldFlags): Promise<void> {
  await withDecisions(flags, async ({ pool }) => {
    const policy = parseNamed(flags.policy, await textOf(flags.policy, pool));
    const kinds: readonly Kind[] = flags.kind === undefined ? ['deposit', 'withdrawal'] : [flags.kind];
    const unknown = await countHeldWithoutEvidence(pool, kinds);
    if (unknown > 0)
      note(
        `${unknown} more are held since before Weir kept what decisions are made on, and cannot be asked about: GET /v1/reviews has them.`,
      );
    if (flags.json) {
      await printJsonList(items(pool, policy, kinds));
      return;
    }
    let count = 0;
    for await (const { stored, verdict } of releasable(pool, policy, kinds)) {
      const { kind, source_id, coin, amount, usd_value } = stored.transfer;
      const what = `${plain(source_id)}  ${plain(amount)} ${plain(coin)} (${usd_value === null ? 'value unknown' : `${plain(usd_value)} USD`})`;
      await print(
        `${stored.screening_id}/${stored.revision}  ${kind.padEnd(10)}  ${what}  held by ${stored.rule}, allowed by ${verdict.rule}\n`,
      );
      count += 1;
    }
    note(
      count === 0
        ? 'No held transfer would be allowed by this policy.'
        : `${count} held transfer${count === 1 ? '' : 's'} would be allowed. One person resolves (weir reviews resolve), another approves.`,
    );
  });
}

async function* releasable(db: Queryable, policy: Policy, kinds: readonly Kind[]): AsyncGenerator<Compared, void, void> {
  for await (const page of readHeld(db, kinds)) {
    const { decisions } = await withHistory(db, policy, page);
    for (const stored of decisions) {
      const verdict = judge(policy, stored);
      if (verdict.action === 'allow') yield { stored, verdict };
    }
  }
}

async function* items(db: Queryable, policy: Policy, kinds: readonly Kind[]): AsyncGenerator<object, void, void> {
  for await (const compared of releasable(db, policy, kinds)) yield itemOf(compared);
}
