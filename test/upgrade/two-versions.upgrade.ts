import { randomInt } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../support/stack/random.ts';
import { upgradeEmbedded } from './embedded.ts';
import { upgradeOnKafka } from './kafka.ts';
import { installVersionBefore, type Version } from './versions.ts';

const seed = Number(process.env['WEIR_TEST_SEED'] ?? randomInt(2 ** 31));
const perSecond = 10;
const limitMs = 600_000;
/** A gate that has not read the latest decisions must not act; its caller tries again. */
const unread = ': 503 DECISIONS_UNREAD';

let before: Version;
beforeAll(async () => {
  process.stdout.write(`WEIR_TEST_SEED=${seed}\n`);
  before = await installVersionBefore();
}, limitMs);

test(
  'on Kafka replicas of two versions run side by side under load, there and back: nothing is lost, doubled or refused',
  async () => {
    const { load, violations } = await upgradeOnKafka(before, { perSecond, random: seededRandom(seed) });
    expect(violations).toEqual([]);
    expect(load.refusals.filter((each) => !each.endsWith(unread))).toEqual([]);
    expect(load.redeemed).toBeGreaterThan(50);
    expect(load.resolved).toBeGreaterThan(0);
  },
  limitMs,
);

test(
  'an embedded installation is upgraded under load, and goes back: nothing is lost or doubled, and no call is refused while it runs',
  async () => {
    const { load, violations } = await upgradeEmbedded(before, { perSecond, random: seededRandom(seed) });
    expect(violations).toEqual([]);
    expect(load.refusals.filter((each) => !each.endsWith(unread) && !each.startsWith('to '))).toEqual([]);
    expect(load.redeemed).toBeGreaterThan(10);
  },
  limitMs,
);
