import type { Family } from '../cases.ts';
import type { Leg, Story } from '../story.ts';
import { chain, loot } from './laundering.ts';

/** A contract at which people with clean money swap. */
function pool(story: Story, users: number): string {
  const [contract, exchange] = [story.wallet('pool'), story.labelled('exchange')];
  for (let index = 0; index < users; index++) {
    const user = story.wallet('user');
    const usd = story.amount(5_000);
    story.pay(exchange, user, usd);
    story.pass(1);
    story.together([
      [user, contract, usd, 'ETH'],
      [contract, user, usd * 0.997, 'USDT'],
    ]);
  }
  return contract;
}

interface Route {
  readonly from: string;
  readonly to: string;
  readonly usd: number;
  readonly router: string;
  readonly pools: readonly [string, string];
}

/** Pools may pay before they are paid. */
const routes: readonly ((route: Route) => readonly Leg[])[] = [
  ({ from, to, usd, pools: [one] }) => [
    [one, to, usd, 'USDT'],
    [from, one, usd, 'ETH'],
  ],
  ({ from, to, usd, router, pools: [one] }) => [
    [from, router, usd, 'ETH'],
    [router, one, usd, 'WETH'],
    [one, to, usd, 'USDT'],
  ],
  ({ from, to, usd, router, pools: [one] }) => [
    [from, router, usd, 'ETH'],
    [one, to, usd, 'USDT'],
    [router, one, usd, 'WETH'],
  ],
  ({ from, to, usd, router, pools: [one, two] }) => [
    [from, router, usd, 'ETH'],
    [one, to, usd * 0.4, 'USDT'],
    [router, one, usd * 0.4, 'WETH'],
    [two, to, usd * 0.6, 'USDT'],
    [router, two, usd * 0.6, 'WETH'],
  ],
  ({ from, to, usd, router, pools: [one, two] }) => [
    [one, router, usd, 'DAI'],
    [from, one, usd, 'ETH'],
    [two, to, usd, 'USDT'],
    [router, two, usd, 'DAI'],
  ],
];

function routed(story: Story, users: number, from: string, to: string, usd: number): void {
  const router = from === to ? story.labelled('defi') : pool(story, users);
  const pools = [pool(story, users), pool(story, users)] as const;
  story.pass(2);
  story.together(routes[story.whole(0, routes.length - 1)]?.({ from, to, usd, router, pools }) ?? []);
}

const unlabelledPools: Family = {
  name: 'through pools without a label, back to the same wallet or to another',
  parameter: 'other users of each contract',
  expected: { least: 'Moderate' },
  values: { tuned: [0, 3, 40], heldOut: [1, 10, 100] },
  write: (story, users) => {
    const usd = loot(story);
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    const receiver = story.random() < 0.5 ? wallet : story.wallet('receiver');
    routed(story, users, wallet, receiver, usd);
    return { subject: chain(story, receiver, 1, usd) };
  },
};

const ownWithdrawal: Family = {
  name: 'swap beside a larger withdrawal of own money',
  parameter: 'own money, times the stolen sum',
  expected: { least: 'High' },
  values: { tuned: [0.5, 5], heldOut: [1, 20] },
  write: (story, times) => {
    const [usd, router, exchange, receiver] = [loot(story), story.labelled('defi'), story.labelled('exchange'), story.wallet('receiver')];
    const wallet = story.wallet();
    story.pay(exchange, wallet, usd * times);
    story.pay(wallet, router, usd * times);
    story.pay(story.labelled('theft'), wallet, usd);
    story.pass(5);
    story.together([
      [wallet, router, usd, 'ETH'],
      [router, receiver, usd * 0.997, 'USDT'],
      [router, wallet, usd * times, 'ETH'],
    ]);
    return { subject: receiver };
  },
};

const depositedBefore: Family = {
  name: 'swap of a small sum that pays out an earlier deposit to another wallet',
  parameter: 'USD',
  expected: { least: 'High' },
  values: { tuned: [1, 500], heldOut: [20, 2_000] },
  write: (story, small) => {
    const [usd, vault, receiver] = [loot(story), story.labelled('defi'), story.wallet('receiver')];
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    story.pay(wallet, vault, usd - small);
    story.pass(5);
    story.together([
      [wallet, vault, small, 'ETH'],
      [vault, receiver, usd * 0.99, 'ETH'],
    ]);
    return { subject: receiver };
  },
};

const listedAsExchange: Family = {
  name: 'swap at a router that a list calls an exchange',
  parameter: 'wallets behind the swap',
  expected: { least: 'High' },
  values: { tuned: [0, 2], heldOut: [1, 4] },
  write: (story, behind) => {
    const [usd, router, receiver] = [loot(story), story.labelled('exchange'), story.wallet('receiver')];
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    story.pass(5);
    story.together([
      [wallet, router, usd, 'ETH'],
      [router, receiver, usd * 0.997, 'USDT'],
    ]);
    return { subject: chain(story, receiver, behind, usd * 0.997) };
  },
};

const flashLoan: Family = {
  name: 'through a contract that borrows for the transaction',
  parameter: 'loan, times the stolen sum',
  expected: { least: 'High' },
  values: { tuned: [10, 1_000], heldOut: [50, 5_000] },
  write: (story, times) => {
    const [usd, lender, contract, receiver] = [loot(story), story.wallet('lender'), story.wallet('contract'), story.wallet('receiver')];
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    story.pay(story.labelled('exchange'), lender, usd * times);
    story.pass(5);
    story.together([
      [lender, contract, usd * times, 'ETH'],
      [wallet, contract, usd, 'ETH'],
      [contract, receiver, usd * 0.999, 'ETH'],
      [contract, lender, usd * times, 'ETH'],
    ]);
    return { subject: chain(story, receiver, 1, usd * 0.999) };
  },
};

const besideToken: Family = {
  name: 'paid in a transaction in which another wallet gives tokens without a price',
  parameter: 'tokens',
  expected: { least: 'High' },
  values: { tuned: [1, 5], heldOut: [2, 12] },
  write: (story, tokens) => {
    const [usd, helper, subject] = [loot(story), story.wallet('helper'), story.wallet('subject')];
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    story.pass(2);
    const given = Array.from({ length: tokens }, (): Leg => [helper, wallet, null, 'FREE']);
    story.together([...given, [wallet, subject, usd, 'USDT']]);
    return { subject };
  },
};

const routerBesideToken: Family = {
  name: 'swap to another wallet at a router that also pays a token without a price',
  parameter: 'USD of a second payer',
  expected: { least: 'High' },
  values: { tuned: [1, 50], heldOut: [5, 200] },
  write: (story, small) => {
    const [usd, router, helper, receiver] = [loot(story), story.labelled('defi'), story.wallet('helper'), story.wallet('receiver')];
    const wallet = chain(story, story.labelled('theft'), 1, usd);
    story.pay(story.labelled('exchange'), helper, small);
    story.pass(2);
    story.together([
      [wallet, router, usd, 'ETH'],
      [router, wallet, null, 'FREE'],
      [helper, router, small, 'ETH'],
      [router, receiver, usd * 0.997, 'USDT'],
    ]);
    return { subject: receiver };
  },
};

export const swapEvasions: readonly Family[] = [
  unlabelledPools,
  ownWithdrawal,
  depositedBefore,
  listedAsExchange,
  flashLoan,
  besideToken,
  routerBesideToken,
];

export const poolUser: Family = {
  name: 'user of pools without a label that a launderer uses',
  parameter: 'other users of each contract',
  expected: { most: 'Low' },
  values: { tuned: [5, 40], heldOut: [10, 100] },
  write: (story, users) => {
    const [usd, subject] = [loot(story), story.wallet('subject')];
    const launderer = chain(story, story.labelled('theft'), 1, usd);
    const [router, one, two] = [pool(story, users), pool(story, users), pool(story, users)];
    const route = routes[story.whole(0, routes.length - 1)];
    const swapOf = (from: string, to: string, value: number): void => {
      story.pass(2);
      story.together(route?.({ from, to, usd: value, router, pools: [one, two] }) ?? []);
    };
    story.pay(story.labelled('exchange'), subject, 3_000);
    swapOf(launderer, story.wallet('receiver'), usd);
    swapOf(subject, subject, 2_500);
    return { subject };
  },
};
