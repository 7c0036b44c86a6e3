import { loadConfig } from '@weir/service-kit';
import { expect, it } from 'vitest';
import { chainFollowerSchema, followPlans } from './config.ts';

const load = (environment: Record<string, string>) => loadConfig(chainFollowerSchema, environment);

it('several nodes of a chain are one plan, with the confirmations of the table', () => {
  const settings = load({
    WEIR_CHAIN_NODES: 'ethereum=http://a:8545/?key=1=2,base=https://b, ethereum=http://c',
    WEIR_CHAIN_FIRST_BLOCKS: 'ethereum=19000000',
    WEIR_CHAIN_CONFIRMATIONS: 'base=3',
  });
  expect(followPlans(settings)).toEqual([
    { chain: 'ethereum', urls: ['http://a:8545/?key=1=2', 'http://c'], firstBlock: 19_000_000, confirmations: 12 },
    { chain: 'base', urls: ['https://b'], firstBlock: undefined, confirmations: 3 },
  ]);
});

it('without a setting no chain is followed', () => {
  expect(followPlans(load({}))).toEqual([]);
});

it.each([
  ['WEIR_CHAIN_NODES', 'http://secret', 'CHAIN=VALUE'],
  ['WEIR_CHAIN_NODES', 'stellar=http://a', 'CHAIN one of ethereum'],
  ['WEIR_CHAIN_NODES', 'ethereum=ftp://secret', 'a node of ethereum is no URL with http or https'],
  ['WEIR_CHAIN_NODES', 'ethereum=http://a,ethereum=http://a', 'names a node twice'],
  ['WEIR_CHAIN_FIRST_BLOCKS', 'ethereum=latest', 'a whole number for ethereum'],
  ['WEIR_CHAIN_CONFIRMATIONS', 'ethereum=1,ethereum=2', 'names a chain twice'],
  ['WEIR_NODE_REQUESTS_PER_SECOND', '0', 'from 1 to 10000'],
])('%s=%s is refused', (name, value, reason) => {
  expect(() => load({ [name]: value })).toThrow(reason);
  expect(() => load({ [name]: value })).not.toThrow('secret');
});
