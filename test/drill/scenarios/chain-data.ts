import { readFileSync, writeFileSync } from 'node:fs';
import { sampleList } from '@weir/chain-import/testing';
import { day, minute, type Scenario } from '../scenario.ts';
import type { World } from '../world.ts';
import { address } from '../address.ts';

const [thief, hot, customer, stranger] = [address('d', 1), address('e', 1), address('f', 1), address('9', 1)];

async function importLabels({ weir, file }: World, name: string, ...rows: readonly string[]): Promise<void> {
  const labels = file(`${name}.csv`, `chain,address,name,category,source,source_kind\n${rows.join('\n')}\n`);
  await weir(['labels', 'import', labels, '--format', 'csv']);
}

/** Between two addresses, of so many days ago. */
async function importTransfer({ weir, file }: World, chain: string, daysAgo: number): Promise<void> {
  const time = new Date(Date.now() - daysAgo * day * 1_000).toISOString();
  const header = 'chain,from_address,to_address,coin,amount,usd_value,time,source';
  const transfers = file(`${chain}-${daysAgo}.csv`, `${header}\n${chain},${thief},${stranger},ETH,1,1000,${time},drill\n`);
  await weir(['transfers', 'import', transfers, '--format', 'csv']);
}

export const emptyChainData: Scenario = {
  name: 'nothing was imported into the risk service',
  alerts: { WeirChainDataEmpty: 5 * minute },
  isFromStart: true,
  breakIt: async (world) => () =>
    importLabels(world, 'thief', ...['ethereum', 'base', 'polygon'].map((chain) => `${chain},${thief},A thief,theft,drill,curated`)),
};

export const missingChain: Scenario = {
  name: 'a required chain was not imported',
  alerts: { WeirChainDataMissing: 5 * minute },
  isFromStart: true,
  breakIt: async (world) => async () => {
    await importLabels(world, 'bsc', `bsc,${thief},A thief,theft,drill,curated`);
    await importTransfer(world, 'bsc', 0);
  },
};

export const oldTransfers: Scenario = {
  name: 'an import brings transfers of the week before',
  alerts: { WeirChainDataStale: 15 * minute },
  breakIt: async (world) => {
    await importTransfer(world, 'polygon', 7);
    return () => importTransfer(world, 'polygon', 0);
  },
};

export const endedProcess: Scenario = {
  name: 'a process ends while labels accuse a known service',
  alerts: { WeirServiceDown: 1 * minute },
  lasting: { WeirGateUnavailable: 5 * minute },
  // Labels are compared at each start, and each ten minutes.
  afterwards: { WeirLabelContradictions: 16 * minute },
  breakIt: async (world) => {
    const known = ['DefiLlama', 'Etherscan'].map((source) => `ethereum,${customer},Binance,exchange,${source},curated`);
    await importLabels(world, 'accused', ...known, `ethereum,${customer},A hack,hack,Some pages,crawl`);
    await world.installation.kill('weir');
    return () => world.installation.start();
  },
};

export const failingList: Scenario = {
  name: 'the publisher of a list does not have it any more',
  alerts: { WeirLabelListStale: 20 * minute, WeirLabelListFails: 15 * minute },
  isFromStart: true,
  breakIt: async ({ list, weir }) => {
    for (let checks = 0; checks < 5; checks += 1) await weir(['labels', 'sync']);
    return async () => {
      list.publish(readFileSync(sampleList('sdn_advanced.xml'), 'utf8'), '"1"');
      await weir(['labels', 'sync']);
    };
  },
};

export const oldPrices: Scenario = {
  name: 'the price table is years old',
  alerts: { WeirPricesStale: 25 * minute },
  isFromStart: true,
  breakIt:
    async ({ priceFile }) =>
    async () =>
      writeFileSync(priceFile, `coin,date,usd\nETH-BASE,${new Date().toISOString().slice(0, 10)},3000\n`),
};

export const awayNode: Scenario = {
  name: 'the node of a followed chain is away',
  alerts: { WeirChainBehind: 10 * minute },
  breakIt: async ({ chain, until }) => {
    await until('the first answer of the node', 'SELECT FROM chain.followed WHERE caught_up_at IS NOT NULL');
    await chain.away();
    return () => chain.back();
  },
};

const watchHot = ({ weir }: World) => weir(['watch', 'add', hot, '--chain', 'base', '--since', '2020-01-01T00:00:00Z']);

export const unpermittedPayment: Scenario = {
  name: 'money leaves a watched address without a permit',
  alerts: { WeirPaymentWithoutPermit: 1 * minute },
  breakIt: async (world) => {
    await watchHot(world);
    await world.chain.pay(hot, stranger);
    return undefined;
  },
};

export const forkedChain: Scenario = {
  name: 'a chain takes an announced deposit back',
  alerts: { WeirDepositTakenBack: 1 * minute },
  breakIt: async (world) => {
    await watchHot(world);
    const fork = await world.chain.fork();
    await world.chain.pay(customer, hot);
    await world.until('the deposit', 'SELECT FROM chain.watched_deposits');
    await fork();
    return undefined;
  },
};
