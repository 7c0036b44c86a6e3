import type { Family } from '../cases.ts';
import { chain, loot, turnover } from './laundering.ts';

/** More than one score reads, and then other money. */

const longLine: Family = {
  name: 'more wallets in a row than a score reads, then own turnover',
  parameter: 'wallets',
  expected: { least: 'Moderate' },
  values: { tuned: [1_020], heldOut: [1_100, 1_400] },
  write: (story, wallets) => {
    const [usd, subject] = [loot(story), story.wallet('subject')];
    story.pay(chain(story, story.labelled('theft'), wallets, usd), subject, usd);
    turnover(story, subject, 20 * usd);
    return { subject };
  },
};

const longCircle: Family = {
  name: 'more rounds of a circle than a score reads, then own turnover',
  parameter: 'rounds',
  expected: { least: 'Moderate' },
  values: { tuned: [6_000], heldOut: [8_000] },
  write: (story, rounds) => {
    const [usd, other, subject] = [loot(story), story.wallet(), story.wallet('subject')];
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    story.pay(story.labelled('exchange'), wallet, 5);
    for (let round = 0; round < rounds; round++) {
      story.pay(wallet, other, usd + 1);
      story.pay(other, wallet, usd + 1);
    }
    story.pay(wallet, subject, usd);
    turnover(story, subject, 20 * usd);
    return { subject };
  },
};

const flushedHub: Family = {
  name: 'wallet with more payments than are read, the clean ones larger',
  parameter: 'clean payments',
  expected: { least: 'Moderate' },
  values: { tuned: [500, 700], heldOut: [550, 900] },
  write: (story, clean) => {
    const [usd, exchange, hub, subject] = [loot(story), story.labelled('exchange'), story.wallet('hub'), story.wallet('subject')];
    const thief = story.labelled('theft');
    const payers = Array.from({ length: 20 }, () => chain(story, thief, 1, usd / 20));
    const flush = (): void => {
      for (let index = 0; index < clean / 2; index++) story.pay(exchange, hub, usd / 900);
    };
    flush();
    for (let index = 0; index < 1_000; index++) story.pay(payers[index % 20] ?? '', hub, usd / 1_000);
    flush();
    story.pay(hub, subject, usd + (clean * usd) / 900);
    turnover(story, subject, 5 * usd);
    return { subject };
  },
};

const hiddenIntermediary: Family = {
  name: 'intermediary with 20 own payers and payees, then own turnover',
  parameter: 'times the stolen sum',
  expected: { least: 'Moderate' },
  values: { tuned: [0.5, 5], heldOut: [1, 20] },
  write: (story, times) => {
    const [usd, middle, subject, thief] = [loot(story), story.wallet('middle'), story.wallet('subject'), story.labelled('theft')];
    for (const payer of Array.from({ length: 20 }, () => chain(story, thief, 1, usd / 20))) story.pay(payer, middle, usd / 20);
    for (let index = 0; index < 20; index++) story.pay(middle, story.wallet('payee'), 1);
    story.pay(middle, subject, usd - 20);
    turnover(story, subject, times * usd);
    return { subject };
  },
};

const unlisted: Family = {
  name: 'more own payments than are listed, each larger than a part of the loot',
  parameter: 'own payments',
  expected: { least: 'Moderate' },
  values: { tuned: [5_200], heldOut: [6_000] },
  write: (story, payments) => {
    const [usd, exchange, subject] = [loot(story), story.labelled('exchange'), story.wallet('subject')];
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    for (let index = 0; index < 30; index++) story.pay(wallet, subject, usd / 30);
    for (let index = 0; index < payments; index++) story.pay(exchange, subject, usd / 20);
    return { subject };
  },
};

export const exhaustions: readonly Family[] = [longLine, longCircle, flushedHub, hiddenIntermediary, unlisted];
