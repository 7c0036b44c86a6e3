import type { Family } from '../cases.ts';
import type { Story } from '../story.ts';
import { ordinaryLife } from './ordinary-life.ts';

function dust(category: string, name: string, most: 'Low' | 'Moderate', active: boolean): Family {
  return {
    name,
    parameter: 'USD',
    expected: { most },
    values: { tuned: [0.01, 0.5], heldOut: [0.1, 3] },
    write: (story, usd) => {
      const subject = story.wallet('subject');
      if (active) ordinaryLife(story, subject);
      story.pay(story.labelled(category), subject, usd);
      return { subject };
    },
  };
}

function many(name: string, active: boolean, send: (story: Story, from: string, to: string) => void): Family {
  return {
    name,
    parameter: 'payments',
    expected: { most: 'High' },
    values: { tuned: [1, 12, 120], heldOut: [3, 30, 240] },
    write: (story, payments, part) => {
      const [subject, sender] = [story.wallet('subject'), story.labelled(part === 'tuned' ? 'sanctioned' : 'theft')];
      if (active) ordinaryLife(story, subject);
      for (let index = 0; index < payments; index++) send(story, sender, subject);
      return { subject };
    },
  };
}

/** A bridge mints money, and minted money has no payer. */
const mintedIncome: Family = {
  name: 'small payment of a thief to a wallet whose income is not seen',
  parameter: 'USD',
  expected: { most: 'High' },
  values: { tuned: [100, 500], heldOut: [250, 900] },
  write: (story, usd, part) => {
    const subject = story.wallet('subject');
    story.pay(story.labelled(part === 'tuned' ? 'theft' : 'sanctioned'), subject, usd);
    for (let index = 0; index < 10; index++) story.pay(subject, story.wallet('shop'), story.amount(2_000));
    return { subject };
  },
};

const paymentAndTokens: Family = {
  name: 'small payment of a thief and worthless tokens on a wallet in use',
  parameter: 'tokens',
  expected: { most: 'High' },
  values: { tuned: [12, 40], heldOut: [20, 80] },
  write: (story, tokens) => {
    const [subject, thief] = [story.wallet('subject'), story.labelled('theft')];
    ordinaryLife(story, subject);
    story.pay(thief, subject, story.between(100, 900));
    for (let index = 0; index < tokens; index++) story.airdrop(thief, subject);
    return { subject };
  },
};

/** Money and tokens that nobody asked for. */
export const unasked: readonly Family[] = [
  dust('theft', 'dust of a thief on a wallet in use', 'Low', true),
  dust('sanctioned', 'dust of a sanctioned address on a wallet in use', 'Low', true),
  dust('sanctioned', 'dust of a sanctioned address on a new wallet', 'Moderate', false),
  many('dust of a sanctioned address or a thief, many times', true, (story, from, to) => story.pay(from, to, story.between(0.5, 2))),
  many('worthless tokens on a wallet in use', true, (story, from, to) => story.airdrop(from, to)),
  many('worthless tokens on a new wallet', false, (story, from, to) => story.airdrop(from, to)),
  many('cents and worthless tokens on a wallet in use', true, (story, from, to) => {
    story.pay(from, to, 0.01);
    story.airdrop(from, to);
  }),
  mintedIncome,
  paymentAndTokens,
];
