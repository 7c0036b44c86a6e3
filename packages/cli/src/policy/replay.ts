import { systemClock } from '@weir/clock';
import type { Kind } from '@weir/contracts';
import { countDecisions, countWithoutEvidence, replay } from '@weir/decision';
import type { PlaceFlags } from '../flags.ts';
import { note, printJson } from '../output.ts';
import { openProgress } from '../progress.ts';
import { noteOlder, placeOf } from './item.ts';
import { withDecisions } from './resolve.ts';

interface ReplayFlags extends PlaceFlags {
  readonly since: Date;
  readonly until?: Date;
  readonly kind?: Kind;
  readonly json?: true;
}

/** Differing decisions shown. */
const shown = 100;

/** Recomputes every stored decision and compares the bytes. */
export async function runReplay(flags: ReplayFlags): Promise<void> {
  await withDecisions(flags, async ({ pool, codec }) => {
    const selection = { since: flags.since, until: flags.until, kind: flags.kind };
    const total = await countDecisions(pool, selection);
    const progress = openProgress(systemClock);
    const different: string[] = [];
    const { count, identical, published } = await replay(pool, codec, selection, {
      different: (stored) => void (different.length < shown && different.push(placeOf(stored))),
      page: (done) => progress.show(done, total, 'decisions'),
    });
    progress.clear();
    noteOlder(await countWithoutEvidence(pool, selection));
    if (flags.json) await printJson({ decisions: count, identical, compared_with_published: published, different });
    else note(`${identical} of ${count} decisions are the same, byte for byte; ${published} were compared with the published event.`);
    if (identical === count) return;
    for (const place of flags.json ? [] : different) note(`  differs: ${place}`);
    throw new Error(`${count - identical} decisions do not replay`);
  });
}
