import type { Family } from '../cases.ts';
import { ordinaryLife } from './ordinary-life.ts';

const victim: Family = {
  name: 'victim who paid a fraud',
  // Payments count only for who receives a withdrawal.
  kind: 'withdrawal',
  parameter: 'share of what came in',
  expected: { most: 'High' },
  values: { tuned: [0.5, 0.9], heldOut: [0.3, 1] },
  write: (story, share, part) => {
    const subject = story.wallet('victim');
    const income = ordinaryLife(story, subject, 4);
    const categories = part === 'tuned' ? ['theft', 'scam'] : ['ransom', 'phishing'];
    story.pay(subject, story.labelled(categories[story.whole(0, 1)] ?? 'scam'), income * share);
    return { subject };
  },
};

const careless: Family = {
  name: 'victim who also paid a mixer, a market or a gambling site',
  kind: 'withdrawal',
  parameter: 'USD paid there',
  expected: { most: 'High' },
  values: { tuned: [100, 400], heldOut: [50, 250] },
  write: (story, usd, part) => {
    const subject = story.wallet('victim');
    const income = ordinaryLife(story, subject, 4);
    story.pay(subject, story.labelled(part === 'tuned' ? 'theft' : 'scam'), income * story.between(0.5, 0.9));
    story.pay(subject, story.labelled(['gambling', 'mixer', 'darknet'][story.whole(0, 2)] ?? 'mixer'), usd);
    return { subject };
  },
};

const refunded: Family = {
  name: 'victim whom the thief pays back',
  parameter: 'share paid back',
  expected: { most: 'High' },
  values: { tuned: [0.5, 1], heldOut: [0.3, 0.9] },
  write: (story, share) => {
    const [subject, thief, usd] = [story.wallet('victim'), story.labelled('theft'), story.between(5_000, 80_000)];
    story.pay(story.labelled('exchange'), subject, usd);
    story.pay(subject, thief, usd);
    story.pass(story.between(24, 2_000));
    story.pay(thief, subject, usd * share);
    return { subject };
  },
};

export const victims: readonly Family[] = [victim, careless, refunded];
