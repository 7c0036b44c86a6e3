import type { Family } from '../cases.ts';
import { chain, loot } from './laundering.ts';
import { ordinaryLife } from './ordinary-life.ts';

/** Written after the method, and measured only. */

const ringWithOwnMoney: Family = {
  name: 'circle of several wallets that holds own money too',
  parameter: 'wallets',
  expected: { least: 'High' },
  values: { tuned: [], heldOut: [2, 5, 17] },
  write: (story, wallets) => {
    const [usd, subject] = [loot(story), story.wallet('subject')];
    const ring = Array.from({ length: wallets }, () => story.wallet());
    const [first = ''] = ring;
    story.pay(story.labelled('exchange'), first, usd);
    story.pay(chain(story, story.labelled('theft'), 1, usd), first, usd);
    for (let step = 0; step < 12 * wallets; step++) story.pay(ring[step % wallets] ?? '', ring[(step + 1) % wallets] ?? '', 2 * usd);
    story.pay(first, subject, 2 * usd);
    return { subject };
  },
};

const manySwaps: Family = {
  name: 'swaps at several routers, each to another wallet',
  parameter: 'routers',
  expected: { least: 'High' },
  values: { tuned: [], heldOut: [2, 5, 12] },
  write: (story, routers) => {
    let usd = loot(story);
    let wallet = chain(story, story.labelled('theft'), 1, usd);
    for (let index = 0; index < routers; index++) {
      const [router, next] = [story.labelled('defi'), story.wallet()];
      const coins = index % 2 === 0 ? (['ETH', 'USDT'] as const) : (['USDT', 'ETH'] as const);
      story.pass(3);
      story.together([
        [wallet, router, usd, coins[0]],
        [router, next, usd * 0.997, coins[1]],
      ]);
      usd *= 0.997;
      wallet = next;
    }
    return { subject: wallet };
  },
};

const splittingContract: Family = {
  name: 'through a contract that pays many own wallets, which pay one',
  parameter: 'other users of the contract',
  expected: { least: 'Moderate' },
  values: { tuned: [], heldOut: [0, 10, 40] },
  write: (story, users) => {
    const [usd, contract, exchange, subject] = [loot(story), story.wallet('contract'), story.labelled('exchange'), story.wallet('subject')];
    const split = (from: string, value: number, payees: readonly string[]): void => {
      story.pass(1);
      story.together([[from, contract, value, 'ETH'], ...payees.map((payee) => [contract, payee, value / payees.length, 'ETH'] as const)]);
    };
    for (let index = 0; index < users; index++) {
      const user = story.wallet('user');
      story.pay(exchange, user, 1_000);
      split(user, 1_000, [story.wallet('payee'), story.wallet('payee')]);
    }
    const own = Array.from({ length: 50 }, () => story.wallet());
    split(chain(story, story.labelled('theft'), 1, usd), usd, own);
    for (const wallet of own) story.pay(wallet, subject, usd / 50);
    return { subject };
  },
};

const waves: Family = {
  name: 'own money in waves, before and after the stolen',
  parameter: 'own money, times the stolen sum',
  expected: { least: 'Moderate' },
  values: { tuned: [], heldOut: [1, 2, 4] },
  write: (story, times) => {
    const [usd, exchange, wallet, subject] = [loot(story), story.labelled('exchange'), story.wallet(), story.wallet('subject')];
    const launderer = chain(story, story.labelled('theft'), 1, usd);
    for (let wave = 0; wave < 10; wave++) {
      story.pay(exchange, wallet, (usd * times) / 20);
      story.pay(launderer, wallet, usd / 10);
      story.pay(exchange, wallet, (usd * times) / 20);
    }
    story.pay(wallet, subject, (usd * (1 + times)) / 2);
    return { subject };
  },
};

const mergedOutputs: Family = {
  name: 'CoinJoin with strangers, then the own outputs together',
  parameter: 'own inputs of ten',
  expected: { least: 'Moderate' },
  values: { tuned: [], heldOut: [2, 5, 8] },
  write: (story, own) => {
    const [usd, exchange, thief, subject] = [loot(story), story.labelled('exchange'), story.labelled('theft'), story.wallet('subject')];
    const inputs = Array.from({ length: 10 }, (_, index) => {
      const wallet = story.wallet('input');
      story.pay(index < own ? thief : exchange, wallet, usd / own, 'BTC');
      return wallet;
    });
    const outputs = inputs.map(() => story.wallet('output'));
    story.pass(2);
    story.coinJoin(inputs.flatMap((input) => outputs.map((output) => [input, output, usd / own / 10, 'BTC'] as const)));
    story.payTogether(outputs.slice(0, own), [subject], usd);
    return { subject, chain: 'bitcoin' };
  },
};

const storm: Family = {
  name: 'wallet under a storm of small payments before and after the stolen sum',
  parameter: 'small payments',
  expected: { least: 'High' },
  values: { tuned: [], heldOut: [600, 3_000] },
  write: (story, payments) => {
    const [usd, funder, wallet, subject] = [loot(story), story.wallet('funder'), story.wallet(), story.wallet('subject')];
    story.pay(story.labelled('exchange'), funder, payments);
    for (let index = 0; index < payments; index++) {
      if (index === payments / 2) story.pay(chain(story, story.labelled('theft'), 1, usd), wallet, usd);
      story.pay(funder, wallet, 0.01);
    }
    story.pay(wallet, subject, usd);
    return { subject };
  },
};

const depositAddress: Family = {
  name: "launderer's deposit address at an exchange",
  parameter: 'wallets before it',
  expected: { least: 'High' },
  values: { tuned: [], heldOut: [1, 4] },
  write: (story, wallets) => {
    const usd = loot(story);
    const subject = chain(story, story.labelled('theft'), wallets + 1, usd);
    story.pay(subject, story.labelled('exchange'), usd);
    return { subject };
  },
};

const paidMerchant: Family = {
  name: 'merchant whom a thief paid once',
  parameter: 'share of the income',
  expected: { most: 'Moderate' },
  values: { tuned: [], heldOut: [0.01, 0.03, 0.05] },
  write: (story, share) => {
    const [subject, exchange] = [story.wallet('merchant'), story.labelled('exchange')];
    let income = 0;
    for (let index = 0; index < 60; index++) {
      const [customer, usd] = [story.wallet('customer'), story.between(50, 800)];
      story.pay(exchange, customer, 1_000);
      story.pay(customer, subject, usd);
      income += usd;
    }
    story.pay(story.labelled('theft'), subject, income * share);
    return { subject };
  },
};

const airdropped: Family = {
  name: 'airdrop on a wallet in use, by a sender whom a launderer paid',
  parameter: 'USD',
  expected: { most: 'Low' },
  values: { tuned: [], heldOut: [5, 40] },
  write: (story, usd) => {
    const [sender, subject] = [story.wallet('sender'), story.wallet('subject')];
    story.pay(story.labelled('exchange'), sender, 100_000);
    story.pay(chain(story, story.labelled('theft'), 1, 3_000), sender, 3_000);
    ordinaryLife(story, subject);
    for (let index = 0; index < 50; index++) story.pay(sender, index === 49 ? subject : story.wallet('receiver'), usd);
    return { subject };
  },
};

const paidExchangesCustomer: Family = {
  name: 'customer of an unlabelled exchange that a launderer paid just before',
  parameter: 'customers of the exchange',
  expected: { most: 'Moderate' },
  values: { tuned: [], heldOut: [30, 300] },
  write: (story, customers) => {
    const [hub, exchange, subject] = [story.wallet('hub'), story.labelled('exchange'), story.wallet('subject')];
    for (let index = 0; index < customers; index++) {
      const customer = story.wallet('customer');
      story.pay(exchange, customer, 3_000);
      story.pay(customer, hub, 2_000);
      story.pay(hub, story.wallet('withdrawal'), 1_000);
    }
    story.pay(chain(story, story.labelled('theft'), 1, 50_000), hub, 50_000);
    story.pay(hub, subject, 2_000);
    return { subject };
  },
};

const repaidBySeizure: Family = {
  name: 'victim whom a wallet that seized the loot pays back',
  parameter: 'share paid back',
  expected: { most: 'High' },
  values: { tuned: [], heldOut: [0.4, 1] },
  write: (story, share) => {
    const [subject, thief, police] = [story.wallet('victim'), story.labelled('theft'), story.wallet('police')];
    const usd = story.between(5_000, 80_000);
    story.pay(story.labelled('exchange'), subject, usd);
    story.pay(subject, thief, usd);
    story.pay(thief, police, 500_000);
    story.pay(police, subject, usd * share);
    return { subject };
  },
};

const paymentsOfNothing: Family = {
  name: 'payments of nothing from and to a sanctioned address',
  kind: 'withdrawal',
  parameter: 'payments',
  expected: { most: 'Low' },
  values: { tuned: [], heldOut: [1, 60] },
  write: (story, payments) => {
    const [subject, listed] = [story.wallet('subject'), story.labelled('sanctioned')];
    ordinaryLife(story, subject);
    for (let index = 0; index < payments; index++) {
      story.pay(listed, subject, 0, 'USDT');
      story.pay(subject, listed, 0, 'USDT');
    }
    return { subject };
  },
};

const arbitrage: Family = {
  name: 'trader in a pool without a label, just after a launderer',
  parameter: 'other users of the pool',
  expected: { most: 'Low' },
  values: { tuned: [], heldOut: [25, 150] },
  write: (story, users) => {
    const [pool, exchange, subject] = [story.wallet('pool'), story.labelled('exchange'), story.wallet('trader')];
    const swap = (user: string, usd: number, back: number, coins: readonly [string, string]): void => {
      story.pass(0.1);
      story.together([
        [user, pool, usd, coins[0]],
        [pool, user, back, coins[1]],
      ]);
    };
    for (let index = 0; index < users; index++) {
      const user = story.wallet('user');
      story.pay(exchange, user, 5_000);
      swap(user, 5_000, 4_980, ['ETH', 'USDT']);
    }
    story.pay(exchange, subject, 20_000, 'USDT');
    const launderer = chain(story, story.labelled('theft'), 1, 100_000);
    swap(launderer, 100_000, 99_000, ['ETH', 'USDT']);
    swap(subject, 10_000, 10_100, ['USDT', 'ETH']);
    return { subject };
  },
};

export const heldOutEvasions: readonly Family[] = [
  ringWithOwnMoney,
  manySwaps,
  splittingContract,
  waves,
  mergedOutputs,
  storm,
  depositAddress,
];
export const heldOutInnocents: readonly Family[] = [
  paidMerchant,
  airdropped,
  paidExchangesCustomer,
  repaidBySeizure,
  paymentsOfNothing,
  arbitrage,
];
