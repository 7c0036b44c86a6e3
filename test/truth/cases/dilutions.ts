import type { Family } from '../cases.ts';
import { chain, loot, turnover } from './laundering.ts';

const directDilution: Family = {
  name: 'straight from a thief, then own turnover',
  parameter: 'times the stolen sum',
  expected: { least: 'High' },
  values: { tuned: [5, 20], heldOut: [10, 50] },
  write: (story, times) => {
    const usd = loot(story);
    const subject = chain(story, story.labelled('theft'), 1, usd);
    turnover(story, subject, times * usd);
    return { subject };
  },
};

const tracedDilution: Family = {
  name: 'behind a wallet, then own turnover',
  parameter: 'times the stolen sum',
  expected: { least: 'High' },
  values: { tuned: [5, 20], heldOut: [3, 40] },
  write: (story, times) => {
    const usd = loot(story);
    const subject = chain(story, story.labelled('theft'), 2, usd);
    turnover(story, subject, times * usd);
    return { subject };
  },
};

const stepwiseDilution: Family = {
  name: 'own clean money at each of several wallets',
  parameter: 'times the sum, at each wallet',
  expected: { least: 'Moderate' },
  values: { tuned: [0.3, 1], heldOut: [0.1, 0.6, 1.5] },
  write: (story, times, part) => {
    const exchange = story.labelled('exchange');
    let usd = loot(story);
    let payer = story.labelled('theft');
    for (let step = 0; step < (part === 'tuned' ? 5 : story.whole(3, 7)); step++) {
      const wallet = story.wallet();
      story.pay(exchange, wallet, usd * times);
      story.pay(payer, wallet, usd);
      usd += usd * times;
      payer = wallet;
    }
    return { subject: payer };
  },
};

const returnedAsStolen: Family = {
  name: 'stolen money back for clean money, then own turnover',
  parameter: 'times the stolen sum',
  expected: { least: 'High' },
  values: { tuned: [1, 20], heldOut: [5, 50] },
  write: (story, times) => {
    const [usd, exchange, other, subject] = [loot(story), story.labelled('exchange'), story.wallet('own'), story.wallet('subject')];
    story.pay(exchange, subject, usd);
    story.pay(subject, other, usd);
    story.pay(other, exchange, usd);
    story.pay(chain(story, story.labelled('theft'), 1, usd), other, usd);
    story.pay(other, subject, usd);
    turnover(story, subject, times * usd);
    return { subject };
  },
};

const suspicions: Readonly<Record<string, number>> = { theft: 0.4, gambling: 0.3, mixer: 0.2, risk_exchange: 0.45, bridge: 0.3 };

const weaklyLabelled: Family = {
  name: 'behind a wallet with a weak label of its own, then own turnover',
  parameter: 'times the stolen sum',
  expected: { least: 'High' },
  values: { tuned: [0, 20], heldOut: [3, 40] },
  write: (story, times, part) => {
    const usd = loot(story);
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    const category = (part === 'tuned' ? ['theft', 'gambling'] : ['mixer', 'risk_exchange', 'bridge'])[story.whole(0, 2)] ?? 'theft';
    story.labelled(category, { address: wallet, source: 'crawl', source_kind: 'crawl', confidence: suspicions[category] ?? 0.4 });
    const subject = chain(story, wallet, 1, usd);
    turnover(story, subject, times * usd);
    return { subject };
  },
};

const paidByCoSigner: Family = {
  name: 'behind a co-signer of the thief, then own turnover',
  parameter: 'times the stolen sum',
  expected: { least: 'High' },
  values: { tuned: [0, 20], heldOut: [3, 40] },
  write: (story, times) => {
    const [usd, thief, exchange] = [loot(story), story.labelled('theft'), story.labelled('exchange')];
    const coSigner = chain(story, thief, 1, usd);
    story.pay(exchange, coSigner, 1_000, 'BTC');
    story.payTogether([thief, coSigner], [story.wallet('shop')], 500);
    const subject = chain(story, coSigner, 1, usd);
    turnover(story, subject, times * usd);
    return { subject, chain: 'bitcoin' };
  },
};

const smallPieces: Family = {
  name: 'many small wallets straight to the subject, then own turnover',
  parameter: 'wallets',
  expected: { least: 'Moderate' },
  values: { tuned: [200, 1_000], heldOut: [120, 500, 2_000] },
  write: (story, wallets, part) => {
    const [usd, subject, thief] = [loot(story), story.wallet('subject'), story.labelled('theft')];
    const before = part === 'tuned' ? 1 : story.whole(1, 3);
    for (let index = 0; index < wallets; index++) story.pay(chain(story, thief, before, usd / wallets), subject, usd / wallets);
    turnover(story, subject, (part === 'tuned' ? 10 : story.between(4, 30)) * usd);
    return { subject };
  },
};

export const dilutions: readonly Family[] = [
  directDilution,
  smallPieces,
  tracedDilution,
  stepwiseDilution,
  returnedAsStolen,
  weaklyLabelled,
  paidByCoSigner,
];
