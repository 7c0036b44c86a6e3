import type { Family } from '../cases.ts';
import { ordinaryLife } from './ordinary-life.ts';
import { poolUser } from './swaps.ts';
import { unasked } from './unasked.ts';
import { victims } from './victims.ts';

const earlyPayer: Family = {
  name: 'paid before the payer met the thief',
  parameter: 'hours before',
  expected: { most: 'Low' },
  values: { tuned: [1, 100], heldOut: [0.2, 24, 2_000] },
  write: (story, hours) => {
    const [payer, subject] = [story.wallet('payer'), story.wallet('subject')];
    const usd = story.amount(2_000);
    story.pay(story.labelled('exchange'), payer, usd * 2);
    story.pay(payer, subject, usd);
    story.pass(hours);
    story.pay(story.labelled('theft'), payer, story.between(50_000, 500_000));
    return { subject };
  },
};

const routerUser: Family = {
  name: 'other user of the same exchange contract',
  parameter: 'users between',
  expected: { most: 'Low' },
  values: { tuned: [0, 20], heldOut: [5, 60] },
  write: (story, users) => {
    const router = story.labelled('defi');
    const swapOf = (wallet: string, usd: number) =>
      story.together([
        [wallet, router, usd, 'ETH'],
        [router, wallet, usd * 0.997, 'USDT'],
      ]);
    const [launderer, subject] = [story.wallet(), story.wallet('subject')];
    const usd = story.between(50_000, 500_000);
    story.pay(story.labelled('theft'), launderer, usd);
    const others = [...Array.from({ length: users }, () => story.wallet('user')), subject];
    const exchange = story.labelled('exchange');
    for (const other of others) story.pay(exchange, other, 3_000);
    swapOf(launderer, usd);
    for (const other of others) swapOf(other, story.between(500, 2_500));
    return { subject };
  },
};

const batchUser: Family = {
  name: 'user of a batch of swaps with a launderer',
  parameter: 'users',
  expected: { most: 'Low' },
  values: { tuned: [30], heldOut: [15, 60] },
  write: (story, users) => {
    const [batch, exchange, usd] = [story.labelled('defi'), story.labelled('exchange'), 2_000];
    const people = Array.from({ length: users }, () => story.wallet('user'));
    story.pay(story.labelled('theft'), people[0] ?? '', usd);
    for (const person of people.slice(1)) story.pay(exchange, person, usd);
    story.pass(3);
    story.together(people.flatMap((person) => [[person, batch, usd, 'ETH'] as const, [batch, person, usd * 0.995, 'USDT'] as const]));
    return { subject: people.at(-1) ?? '' };
  },
};

const exchangeCustomer: Family = {
  name: 'customer of the exchange that the thief uses',
  parameter: 'deposits of the thief',
  expected: { most: 'Low' },
  values: { tuned: [3], heldOut: [10] },
  write: (story, deposits) => {
    const [exchange, subject, launderer] = [story.labelled('exchange'), story.wallet('subject'), story.wallet()];
    story.pay(story.labelled('theft'), launderer, 100_000);
    for (let index = 0; index < deposits; index++) story.pay(launderer, exchange, 100_000 / deposits);
    for (let index = 0; index < 5; index++) story.pay(exchange, subject, story.amount(2_000));
    return { subject };
  },
};

const merchantsSupplier: Family = {
  name: 'supplier of a merchant whom a launderer paid once',
  parameter: 'customers of the merchant',
  expected: { most: 'Low' },
  values: { tuned: [40, 100], heldOut: [60, 200] },
  write: (story, customers) => {
    const [merchant, exchange, subject] = [story.wallet('merchant'), story.labelled('exchange'), story.wallet('supplier')];
    let income = 0;
    const people = Array.from({ length: customers }, () => story.wallet('customer'));
    const launderer = story.wallet();
    story.pay(story.labelled('theft'), launderer, 20_000);
    for (const person of people) story.pay(exchange, person, 2_000);
    for (const person of [...people, launderer]) {
      const usd = story.between(100, 1_000);
      story.pay(person, merchant, usd);
      income += usd;
    }
    for (let index = 0; index < 25; index++) story.pay(merchant, index === 24 ? subject : story.wallet('payee'), income / 30);
    return { subject };
  },
};

/** The shop paid the supplier much, in small parts from many, and the supplier has other income. */
const shopsSupplier: Family = {
  name: 'supplier of a shop with small customers, with much other income',
  parameter: 'customers of the shop',
  expected: { most: 'Low' },
  values: { tuned: [80], heldOut: [50, 120] },
  write: (story, customers) => {
    const [shop, exchange, subject] = [story.wallet('shop'), story.labelled('exchange'), story.wallet('supplier')];
    for (const person of Array.from({ length: customers }, () => story.wallet('customer'))) {
      story.pay(exchange, person, 600);
      story.pay(person, shop, 400);
    }
    story.pay(shop, subject, 400 * customers);
    for (let index = 0; index < 10; index++) story.pay(exchange, subject, 200 * customers);
    return { subject };
  },
};

const unlabelledExchange: Family = {
  name: 'customer of an unlabelled exchange, with other income',
  parameter: 'customers of the exchange',
  expected: { most: 'Low' },
  values: { tuned: [250, 900], heldOut: [400, 1_500] },
  write: (story, customers) => {
    const [hub, exchange, subject] = [story.wallet('hub'), story.labelled('exchange'), story.wallet('subject')];
    for (const person of Array.from({ length: customers }, () => story.wallet('customer'))) {
      story.pay(exchange, person, story.amount(2_000));
      story.pay(person, hub, story.amount(1_000));
      story.pay(hub, story.wallet('withdrawal'), story.amount(900));
    }
    story.pay(hub, subject, 25_000);
    for (let index = 0; index < 10; index++) story.pay(exchange, subject, 15_000);
    return { subject };
  },
};

const contestedService: Family = {
  name: 'exchange that one weak source calls a thief',
  parameter: 'confidence of that source',
  expected: { most: 'Moderate' },
  values: { tuned: [0.4, 1], heldOut: [0.3, 0.7] },
  write: (story, confidence) => {
    const subject = story.wallet('exchange');
    story.labelled('exchange', { address: subject, source: 'owner list', source_kind: 'owner', confidence: 0.9 });
    for (const source of ['curated', 'second curated']) story.labelled('exchange', { address: subject, source, confidence: 0.9 });
    story.labelled('theft', { address: subject, source: 'crawl', source_kind: 'crawl', confidence });
    for (let index = 0; index < 60; index++) {
      const person = story.wallet('customer');
      story.pay(person, subject, story.amount(2_000));
      story.pay(subject, person, story.amount(1_500));
    }
    return { subject };
  },
};

const coinJoinPeer: Family = {
  name: 'peer of a thief in a CoinJoin',
  parameter: 'participants',
  expected: { most: 'Moderate' },
  values: { tuned: [5, 50], heldOut: [10, 100] },
  write: (story, participants) => {
    const [exchange, thief, usd] = [story.labelled('exchange'), story.labelled('theft'), 5_000];
    const payers = [thief, ...Array.from({ length: participants - 1 }, () => story.wallet('participant'))];
    for (const payer of payers.slice(1)) story.pay(exchange, payer, usd);
    const outputs = payers.map(() => story.wallet('output'));
    story.pass(2);
    const part = usd / participants;
    story.coinJoin(payers.flatMap((payer) => outputs.map((output) => [payer, output, part, 'BTC'] as const)));
    return { subject: outputs[story.whole(0, outputs.length - 1)] ?? '', chain: 'bitcoin' };
  },
};

/** Each output gets the same part of each input: enough of a listed one for the line of the policy. */
const listedPeer: Family = {
  name: 'peer of a sanctioned address in a CoinJoin',
  parameter: 'participants',
  expected: { most: 'Moderate' },
  values: { tuned: [5, 50], heldOut: [10, 100] },
  write: (story, participants) => {
    const [exchange, listed, part] = [story.labelled('exchange'), story.labelled('sanctioned'), 1_500];
    const payers = [listed, ...Array.from({ length: participants - 1 }, () => story.wallet('participant'))];
    for (const payer of payers.slice(1)) story.pay(exchange, payer, part * participants, 'BTC');
    const outputs = payers.map(() => story.wallet('output'));
    story.pass(2);
    story.coinJoin(payers.flatMap((payer) => outputs.map((output) => [payer, output, part, 'BTC'] as const)));
    return { subject: outputs[story.whole(0, outputs.length - 1)] ?? '', chain: 'bitcoin' };
  },
};

const listedOutput: Family = {
  name: 'participant of a CoinJoin in which a stranger pays a sanctioned address',
  kind: 'withdrawal',
  parameter: 'participants',
  expected: { most: 'Moderate' },
  values: { tuned: [5, 50], heldOut: [10, 100] },
  write: (story, participants) => {
    const [exchange, usd] = [story.labelled('exchange'), 5_000];
    const payers = Array.from({ length: participants }, () => story.wallet('participant'));
    for (const payer of payers) story.pay(exchange, payer, usd, 'BTC');
    const outputs = [story.labelled('sanctioned'), ...payers.slice(1).map(() => story.wallet('output'))];
    story.pass(2);
    const part = usd / participants;
    story.coinJoin(payers.flatMap((payer) => outputs.map((output) => [payer, output, part, 'BTC'] as const)));
    return { subject: payers[story.whole(0, payers.length - 1)] ?? '', chain: 'bitcoin' };
  },
};

const suspectedMerchant: Family = {
  name: 'customer of a merchant whom one weak source calls sanctioned',
  parameter: 'confidence of that source',
  expected: { most: 'Low' },
  values: { tuned: [0.3, 0.4], heldOut: [0.2, 0.45] },
  write: (story, confidence) => {
    const subject = story.wallet('customer');
    ordinaryLife(story, subject);
    story.pay(subject, story.labelled('sanctioned', { source: 'crawl', source_kind: 'crawl', confidence }), story.between(0.01, 50));
    return { subject };
  },
};

const depositAddress: Family = {
  name: 'address of an exchange beside an accused deposit address',
  parameter: 'addresses that the exchange sweeps together',
  expected: { most: 'Low' },
  values: { tuned: [5, 50], heldOut: [20, 200] },
  write: (story, addresses, part) => {
    const [exchange, subject] = [story.labelled('exchange'), story.wallet('deposit')];
    const accused = story.labelled(part === 'tuned' ? 'scam' : 'ransom', { source: 'crawl', confidence: 0.7 });
    const deposits = [subject, accused, ...Array.from({ length: addresses - 2 }, () => story.wallet('deposit'))];
    for (const deposit of deposits) story.pay(story.wallet('customer'), deposit, story.amount(1_000), 'BTC');
    for (let first = 0; first < deposits.length; first += 10)
      story.payTogether([exchange, ...deposits.slice(first, first + 10)], [story.wallet('cold')], 5_000);
    return { subject, chain: 'bitcoin' };
  },
};

export const innocents: readonly Family[] = [
  earlyPayer,
  ...unasked,
  ...victims,
  routerUser,
  batchUser,
  poolUser,
  exchangeCustomer,
  merchantsSupplier,
  shopsSupplier,
  unlabelledExchange,
  contestedService,
  coinJoinPeer,
  listedPeer,
  listedOutput,
  suspectedMerchant,
  depositAddress,
];
