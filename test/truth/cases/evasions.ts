import type { Family } from '../cases.ts';
import { dilutions } from './dilutions.ts';
import { chain, loot } from './laundering.ts';
import { swapEvasions } from './swaps.ts';

const passThrough: Family = {
  name: 'chain of pass-through wallets',
  parameter: 'wallets',
  expected: { least: 'High' },
  values: { tuned: [1, 3, 8, 20], heldOut: [2, 6, 12, 40] },
  write: (story, wallets, part) => {
    const usd = part === 'tuned' ? loot(story) : story.between(1_500, 50_000);
    return { subject: chain(story, story.labelled('theft'), wallets, usd) };
  },
};

const slowChain: Family = {
  name: 'chain with a month of rest at each wallet',
  parameter: 'wallets',
  expected: { least: 'High' },
  values: { tuned: [3, 6], heldOut: [4, 9] },
  write: (story, wallets) => ({ subject: chain(story, story.labelled('theft'), wallets, loot(story), 24 * story.between(25, 60)) }),
};

const peel: Family = {
  name: 'peel chain',
  parameter: 'peels',
  expected: { least: 'High' },
  values: { tuned: [8, 30], heldOut: [5, 15, 60] },
  write: (story, peels, part) => {
    let usd = loot(story);
    let wallet = chain(story, story.labelled('theft'), 1, usd);
    for (let index = 0; index < peels; index++) {
      const peeled = usd * (part === 'tuned' ? 0.02 : story.between(0.005, 0.04));
      const next = story.wallet();
      story.pay(wallet, story.wallet('peeled'), peeled);
      usd -= peeled;
      story.pay(wallet, next, usd);
      wallet = next;
    }
    return { subject: wallet };
  },
};

const mules: Family = {
  name: 'mules that pay one collector',
  parameter: 'mules',
  expected: { least: 'High' },
  values: { tuned: [8, 100], heldOut: [30, 400] },
  write: (story, count) => {
    const [thief, collector] = [story.labelled('theft'), story.wallet('collector')];
    const part = loot(story) / count;
    const wallets = Array.from({ length: count }, () => chain(story, thief, 1, part));
    for (const mule of wallets) story.pay(mule, collector, part * story.between(0.9, 1));
    return { subject: collector };
  },
};

const circle: Family = {
  name: 'circle before the subject',
  parameter: 'rounds',
  expected: { least: 'High' },
  values: { tuned: [1, 10, 100], heldOut: [3, 30, 300] },
  write: (story, rounds) => {
    const [usd, other, subject] = [loot(story), story.wallet(), story.wallet('subject')];
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    for (let round = 0; round < rounds; round++) {
      story.pay(wallet, other, usd);
      story.pay(other, wallet, usd);
    }
    story.pay(wallet, subject, usd);
    return { subject };
  },
};

const exchangeCircle: Family = {
  name: 'circle through an exchange',
  parameter: 'rounds',
  expected: { least: 'Moderate' },
  values: { tuned: [1, 5, 20], heldOut: [2, 10, 50] },
  write: (story, rounds) => {
    const [usd, exchange] = [loot(story), story.labelled('exchange')];
    const subject = chain(story, story.labelled('theft'), 2, usd);
    for (let round = 0; round < rounds; round++) {
      story.pay(subject, exchange, usd);
      story.pay(exchange, subject, usd);
    }
    return { subject };
  },
};

const swap: Family = {
  name: 'swap to another wallet',
  parameter: 'wallets behind the swap',
  expected: { least: 'High' },
  values: { tuned: [0, 2], heldOut: [1, 4] },
  write: (story, behind) => {
    const [usd, router, receiver] = [loot(story), story.labelled('defi'), story.wallet('receiver')];
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    story.pass(5);
    story.together([
      [wallet, router, usd, 'ETH'],
      [router, receiver, usd * 0.997, 'USDT'],
    ]);
    return { subject: chain(story, receiver, behind, usd * 0.997) };
  },
};

const ownIntermediary: Family = {
  name: 'intermediary with own payers and payees',
  parameter: 'payers and payees',
  expected: { least: 'Moderate' },
  values: { tuned: [5, 20], heldOut: [10, 40] },
  write: (story, count) => {
    const [usd, middle, subject] = [loot(story), story.wallet('middle'), story.wallet('subject')];
    const thief = story.labelled('theft');
    const payers = Array.from({ length: count }, () => chain(story, thief, 1, usd / count));
    for (const payer of payers) story.pay(payer, middle, usd / count);
    for (let index = 0; index < count; index++) story.pay(middle, story.wallet('payee'), (usd * 0.1) / count);
    story.pay(middle, subject, usd * 0.9);
    return { subject };
  },
};

const coSigner: Family = {
  name: 'who signs a transaction together with a thief',
  parameter: 'transactions between the two',
  expected: { least: 'High' },
  values: { tuned: [1, 4], heldOut: [2, 10] },
  write: (story, transactions) => {
    const [thief, subject, exchange] = [story.labelled('theft'), story.wallet('subject'), story.labelled('exchange')];
    const own = [thief, ...Array.from({ length: transactions - 1 }, () => story.wallet('own')), subject];
    for (const wallet of own.slice(1)) story.pay(exchange, wallet, story.amount(3_000), 'BTC');
    for (let at = 1; at < own.length; at++) story.payTogether(own.slice(at - 1, at + 1), [story.wallet('shop')], story.between(100, 1_000));
    return { subject, chain: 'bitcoin' };
  },
};

const changeChain: Family = {
  name: 'change to a new address with each payment',
  parameter: 'payments',
  expected: { least: 'High' },
  values: { tuned: [5, 40], heldOut: [12, 100] },
  write: (story, payments) => {
    let usd = loot(story);
    let wallet = story.wallet();
    story.pay(story.labelled('theft'), wallet, usd, 'BTC');
    for (let index = 0; index < payments; index++) {
      const [change, paid] = [story.wallet(), usd * story.between(0.001, 0.05)];
      story.pass(story.between(0.1, 240));
      story.together([
        [wallet, story.wallet('shop'), paid, 'BTC'],
        [wallet, change, usd - paid, 'BTC'],
      ]);
      usd -= paid;
      wallet = change;
    }
    return { subject: wallet, chain: 'bitcoin' };
  },
};

export const evasions: readonly Family[] = [
  passThrough,
  slowChain,
  peel,
  mules,
  circle,
  exchangeCircle,
  ...dilutions,
  swap,
  ...swapEvasions,
  ownIntermediary,
  coSigner,
  changeChain,
];
