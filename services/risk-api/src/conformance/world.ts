import type { LabelRow, TransferRow } from '@weir/chain-import';
import { loadLabels, loadTransfers } from '../index.ts';
import { evmNetwork } from '../payments/networks.ts';
import { pay, startPayWorld } from '../testing/paying.ts';
import { type Answer, createTestService, get, type Instance, post, resultOf, type TestService } from '../testing/instance.ts';

/** A running service with its own chain data, as a caller sees it. */
export interface World {
  readonly service: TestService;
  readonly instance: Instance;
  readonly key: string;
  readonly sandboxKey: string;
  /** GET on the standard API, or below `/sandbox` with the sandbox's key. */
  ask(path: string, query?: Readonly<Record<string, string>>): Promise<Answer>;
  send(path: string, body?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** `data` of the target's v3 task. */
  score(target: Readonly<Record<string, string>>): Promise<Answer['body']>;
  paid(method: 'GET' | 'POST', path: string, fields: Readonly<Record<string, string>>): Promise<Answer>;
  stop(): Promise<void>;
}

/** A row of the specification, checked on the world. */
export type Case = (world: World) => Promise<void>;
export type Cases = Readonly<Record<string, Case>>;

const a = (n: number): string => `0xc${n.toString(16).padStart(39, '0')}`;
export const tx = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;

/** Category, name and confidence of each labelled address. */
const labelled = {
  listed: ['sanctioned', 'Listed Corp', 1],
  thief: ['theft', 'Bridge Heist', 1],
  suspect: ['theft', 'Rumoured Heist', 0.3],
  ransomer: ['ransom', 'Locker', 1],
  phisher: ['phishing', 'Fake Wallet', 1],
  market: ['darknet', 'Night Market', 1],
  mixer: ['mixer', 'Blender', 1],
  shady: ['risk_exchange', 'Shady Swap', 1],
  casino: ['gambling', 'Dice', 1],
  bridge: ['bridge', 'Span', 1],
  exchange: ['exchange', 'Good Exchange', 1],
  dex: ['defi', 'Pool', 1],
  gallery: ['nft', 'Pictures', 1],
  token: ['token', 'Dollar', 1],
} as const;
type Labelled = keyof typeof labelled;

const names = [...(Object.keys(labelled) as Labelled[]), 'user', 'friend', 'far', 'busy', 'peer', 'lone', 'dealer'] as const;
export const at = Object.fromEntries(names.map((name, n) => [name, a(n + 1)])) as Record<(typeof names)[number], string>;
export const contract = '0xdac17f958d2ee523a2206206994597c13d831ec7';

const labels: LabelRow[] = (Object.entries(labelled) as [Labelled, (typeof labelled)[Labelled]][]).map(
  ([name, [category, label, confidence]]) => ({
    chain: 'ethereum',
    address: at[name],
    name: label,
    category,
    valid_from: null,
    valid_to: null,
    confidence,
    source: 'test',
  }),
);

const transfer = (txid: number, from: string, to: string, usd: number, more: Partial<TransferRow> = {}): TransferRow => ({
  chain: 'ethereum',
  txid: tx(txid),
  position: 0,
  from_address: from,
  to_address: to,
  coin: 'ETH',
  amount: String(usd / 1_000),
  usd_value: String(usd),
  time: new Date(Date.UTC(2025, 0, 1) + txid * 60_000).toISOString(),
  source: 'test',
  ...more,
});

/** Transfers of `busy`, one a minute: more than two pages. */
export const busyTransfers = 2_300;

const transfers: TransferRow[] = [
  ...(Object.keys(labelled) as Labelled[]).map((name, n) => transfer(n + 1, at[name], at.dealer, 1_000)),
  transfer(40, at.exchange, at.user, 600),
  transfer(41, at.peer, at.user, 300),
  transfer(42, at.thief, at.user, 100),
  transfer(43, at.user, at.dex, 250),
  transfer(44, at.user, contract, 750, { coin: 'USDT-ERC20' }),
  transfer(50, at.thief, at.friend, 5_000),
  transfer(51, at.friend, at.far, 2_000),
  transfer(60, at.mixer, at.exchange, 5_000),
  ...Array.from({ length: busyTransfers }, (_, n) =>
    transfer(1_000 + n, n % 2 === 0 ? at.peer : at.busy, n % 2 === 0 ? at.busy : at.peer, 10),
  ),
];

export async function startWorld(): Promise<World> {
  const service = await createTestService();
  const payWorld = await startPayWorld(service);
  const instance = await payWorld.start();
  const payer = await payWorld.payer();
  await loadLabels(service.database.pool, labels);
  await loadTransfers(service.database.pool, transfers);
  const [key, sandboxKey] = [
    await service.key({ surface: 'standard' }),
    await service.key({ surface: 'sandbox', perSecond: null, perDay: null }),
  ];
  const keyOf = (path: string): string => (path.startsWith('/sandbox') ? sandboxKey : key);
  const world: World = {
    service,
    instance,
    key,
    sandboxKey,
    ask: (path, query = {}) => get(instance.url + path, { api_key: keyOf(path), ...query }),
    send: (path, body = {}) => post(instance.url + path, { api_key: keyOf(path), ...body }),
    score: async (target) => {
      const { body } = await world.send('/v3/risk_score_create_task', { coin: 'ETH', ...target });
      return (await resultOf(instance.url, key, body.data.task_id)).data;
    },
    paid: async (method, path, fields) => (await pay(instance.url, { method, path, fields }, payer, evmNetwork)).answer,
    stop: () => payWorld.stop(),
  };
  return world;
}
