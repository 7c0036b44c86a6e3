import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { loadLabels, loadTransfers, migrateRiskApi } from '@weir/risk-api';
import { type Network, PayingClient, type PayingClientOptions, type Wallets } from '@weir/risk-client/pay';
import {
  type EvmChain,
  type Facilitator,
  newEvmWallet,
  newSolanaWallet,
  type SolanaChain,
  startEvmChain,
  startFacilitator,
  startSolanaChain,
} from '../support/local-chains/index.ts';
import { type PayServer, startServer } from './server.ts';

export const evmNetwork = 'eip155:8453';
export const solanaNetwork = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
export const networks = [evmNetwork, solanaNetwork] as const;

/** Two chains, a facilitator, a database with little chain data, and receivers. */
export interface World {
  readonly evm: EvmChain;
  readonly solana: SolanaChain;
  readonly facilitator: Facilitator;
  readonly database: TestDatabase;
  readonly receivers: Readonly<Record<Network, string>>;
  /** Further servers are replicas on the same database. */
  server(env?: Readonly<Record<string, string>>): Promise<PayServer>;
  payer(network: Network, microUsdc: bigint): Promise<Payer>;
  /** Balance of the receiver on a network. */
  received(network: Network): Promise<bigint>;
  ledger(): Promise<LedgerRow[]>;
  close(): Promise<void>;
}

export interface Payer {
  readonly network: Network;
  readonly address: string;
  /** In the format of `WEIR_PAY_KEY`. */
  readonly key: string;
  readonly wallets: Wallets;
  balance(): Promise<bigint>;
  client(baseUrl: string, options?: Partial<PayingClientOptions>): PayingClient;
}

export interface LedgerRow {
  readonly id: string;
  readonly network: Network;
  readonly payer: string;
  readonly amount: string;
  readonly state: string;
  readonly reason: string | null;
  readonly transaction: string | null;
  readonly answer: string | null;
  readonly payment_identifier: string | null;
}

/** An address with a label and transfers, and one with transfers only. */
export const known = '0x0000000000000000000000000000000000000064';
export const plain = '0x0000000000000000000000000000000000000065';

/** How long a server waits for the facilitator: far above what that takes, also on a busy machine. */
const patient = { WEIR_X402_VERIFY_LIMIT_MS: '20000', WEIR_X402_SETTLE_LIMIT_MS: '30000' };
/** Of a server that shall give up. */
export const hasty = { WEIR_X402_VERIFY_LIMIT_MS: '1500', WEIR_X402_SETTLE_LIMIT_MS: '3000' };

export async function makeWorld(options: { confirmationMs?: number } = {}): Promise<World> {
  const [evm, solana, database] = await Promise.all([startEvmChain(), startSolanaChain(), factsDatabase()]);
  const facilitator = await startFacilitator({ evm, solana, confirmationMs: 5_000, ...options });
  const receivers: Record<Network, string> = { [evmNetwork]: newEvmWallet().address, [solanaNetwork]: (await newSolanaWallet()).address };
  await solana.fund(receivers[solanaNetwork], 0n);
  const chainOf = (network: Network) => (network === evmNetwork ? evm : solana);
  const servers: PayServer[] = [];

  return {
    evm,
    solana,
    facilitator,
    database,
    receivers,
    server: async (env = {}) => {
      const server = await startServer({
        DATABASE_URL: database.url,
        WEIR_X402_PAY_TO_EVM: receivers[evmNetwork],
        WEIR_X402_PAY_TO_SOLANA: receivers[solanaNetwork],
        WEIR_X402_FACILITATOR_URL: facilitator.url,
        WEIR_X402_EVM_RPC_URL: evm.url,
        WEIR_X402_SOLANA_RPC_URL: solana.url,
        ...patient,
        WEIR_X402_EVM_FINALITY: '0',
        WEIR_X402_RECONCILE_MS: '500',
        WEIR_LOG_LEVEL: 'info',
        ...env,
      });
      servers.push(server);
      return server;
    },
    payer: async (network, microUsdc) => {
      const payer = network === evmNetwork ? evmPayer() : await solanaPayer(solana.url);
      await chainOf(network).fund(payer.address, microUsdc);
      return {
        ...payer,
        network,
        balance: () => chainOf(network).balanceOf(payer.address),
        client: (baseUrl, clientOptions = {}) =>
          new PayingClient({ baseUrl, wallets: payer.wallets, spendingCapMicroUsdc: 1_000_000_000n, ...clientOptions }),
      };
    },
    received: (network) => chainOf(network).balanceOf(receivers[network]),
    ledger: async () =>
      (await database.pool.query<LedgerRow & Record<string, unknown>>('SELECT * FROM risk.payments ORDER BY created_at')).rows,
    close: async () => {
      await Promise.all(servers.map((server) => server.remove()));
      await facilitator.close();
      await solana.close();
      await evm.close();
      await database.drop();
    },
  };
}

type PlainPayer = Pick<Payer, 'address' | 'key' | 'wallets'>;

export function evmPayer(): PlainPayer {
  const { address, privateKey, account } = newEvmWallet();
  return { address, key: privateKey, wallets: { evm: account } };
}

async function solanaPayer(rpcUrl: string): Promise<PlainPayer> {
  const { address, secretKey, signer } = await newSolanaWallet();
  return { address, key: JSON.stringify([...secretKey]), wallets: { solana: { signer, rpcUrl } } };
}

async function factsDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await migrateRiskApi(database.pool);
  const common = { chain: 'ethereum', source: 'test' } as const;
  const label = { ...common, address: known, name: 'Someone', category: 'scam', valid_from: '2024-01-01', valid_to: null, confidence: 0.9 };
  await loadLabels(database.pool, [label]);
  const transfer = { ...common, position: 0, coin: 'ETH', amount: '1.5', usd_value: '3000.25', time: '2024-01-01T00:00:00Z' };
  await loadTransfers(database.pool, [
    { ...transfer, txid: `0x${'1'.repeat(64)}`, from_address: known, to_address: plain },
    { ...transfer, txid: `0x${'2'.repeat(64)}`, from_address: plain, to_address: `0x${'66'.padStart(40, '0')}` },
  ]);
  return database;
}
