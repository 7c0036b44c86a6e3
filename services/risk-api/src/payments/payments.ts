import { randomUUID } from 'node:crypto';
import { isAddress } from '@solana/kit';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { ConfigError, type Logger } from '@weir/service-kit';
import type { Registry } from 'prom-client';
import { Failure } from '../failure.ts';
import type { Subject } from '../subject.ts';
import { evmChainStatus } from './evm/chain-status.ts';
import { type Clients, Facilitator } from './facilitator.ts';
import { httpClients } from './facilitator-http.ts';
import { ownClients } from './facilitator-in-process.ts';
import { Ledger } from './ledger.ts';
import { createPaymentMetrics } from './metrics.ts';
import { evmNetwork, solanaNetwork, type PayNetwork } from './networks.ts';
import type { PaymentConfig } from './payment-config.ts';
import type { PaySettings } from './settings.ts';
import { Settlements } from './settlements.ts';
import { solanaChainStatus } from './solana/chain-status.ts';
import { PaymentProcessor } from './payment-processor.ts';
import { createChainStatus, type ReadChainStatus } from './chain-status.ts';
import { UnprovenPayments } from './unproven.ts';
import { duePayments, sweepPayments } from './upkeep.ts';

export interface PaymentsDependencies {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly plan: PaymentConfig;
  readonly settings: PaySettings;
  readonly registry: Registry;
  readonly random: (bytes: number) => Buffer;
  readonly waitMs: number;
  readonly start?: (taskId: string, subject: Subject) => Promise<unknown>;
}

interface ReconcileOptions {
  readonly all: boolean;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

interface ReconcileCounts {
  settled: number;
  refused: number;
  open: number;
}

export interface Payments {
  readonly plan: PaymentConfig;
  readonly facilitator: Facilitator;
  readonly processor: PaymentProcessor;
  /** Settlements that are due, or all, until aborted. Returns how many ended and how many stay open. */
  reconcile(options: ReconcileOptions): Promise<ReconcileCounts>;
  sweep(): Promise<void>;
}

/** Lease of a process on a payment. It is renewed three times in this period. */
const leaseMs = 6_000;

/** Makes no network call. Fails with `ConfigError` for an invalid address or key. */
export async function facilitatorOf(plan: PaymentConfig, settings: PaySettings, clock: Clock): Promise<Clients> {
  const solana = plan.receivers.get(solanaNetwork);
  if (solana !== undefined && !isAddress(solana))
    throw new ConfigError('setting WEIR_X402_PAY_TO_SOLANA is wrong: must be an address of Solana');
  const { x402FacilitatorUrl: url, x402FacilitatorToken: token, x402VerifyLimitMs: verifyMs, x402SettleLimitMs: settleMs } = settings;
  return url === '' ? ownClients(plan, settings, clock) : httpClients(url, token, { verifyMs, settleMs });
}

export async function openPayments(deps: PaymentsDependencies): Promise<Payments> {
  const { db, clock, logger, plan, settings, registry, random, waitMs, start } = deps;
  const metrics = createPaymentMetrics(registry, clock, db);
  const newId = randomUUID;
  const complain = complainTo(logger);
  const { x402VerifyLimitMs: verifyMs, x402UnprovenMax: most, x402UnprovenPerClient: perClient } = settings;
  const facilitator = new Facilitator(await facilitatorOf(plan, settings, clock), { clock, verifyMs, complain });
  const ledger = new Ledger(db, leaseMs);
  const settlements = new Settlements({
    ledger,
    facilitator,
    chainStatus: createChainStatus(askersOf(plan, settings, { clock, logger }), complain),
    clock,
    logger,
    metrics,
    leaseMs,
    newTaskId: () => random(24).toString('base64url'),
    ...(start === undefined ? {} : { start }),
  });
  const unproven = new UnprovenPayments({ most, perClient }, registry);
  return {
    plan,
    facilitator,
    processor: new PaymentProcessor({ ledger, facilitator, settlements, unproven, clock, metrics, newId, waitMs }),
    sweep: () => sweepPayments(db, settings.x402AnswerTtlMs),
    reconcile: (options) => reconcile({ db, ledger, settlements, newId }, options),
  };
}

async function reconcile(
  parts: { db: Queryable; ledger: Ledger; settlements: Settlements; newId: () => string },
  options: ReconcileOptions,
): Promise<ReconcileCounts> {
  const { db, ledger, settlements, newId } = parts;
  const counts = { settled: 0, refused: 0, open: 0 };
  for (const id of await duePayments(db, options)) {
    if (options.signal?.aborted) break;
    const holder = newId();
    const row = await ledger.take(id, holder, 0);
    if (row === undefined || row.state === 'claimed') continue;
    const settlementResult = await settlements.again(row, holder).catch((error: unknown) => {
      if (error instanceof Failure) return 'pending' as const;
      throw error;
    });
    counts[settlementResult === 'pending' ? 'open' : settlementResult.state === 'settled' ? 'settled' : 'refused'] += 1;
  }
  return counts;
}

/** Logs no message: those of the x402 libraries quote URLs, which may contain a key. */
function complainTo(logger: Logger): (error: unknown, what: string) => void {
  return (error, what) => {
    const { name, statusCode } = error as { name?: string; statusCode?: number };
    logger.warn({ error_name: name, status: statusCode, reason: causeOf(error) }, what);
  };
}

/** Without an RPC URL, a settlement whose answer was lost stays unknown until the facilitator settles it again. */
function askersOf(
  plan: PaymentConfig,
  settings: PaySettings,
  { clock, logger }: { clock: Clock; logger: Logger },
): ReadonlyMap<PayNetwork, ReadChainStatus> {
  const askers = new Map<PayNetwork, ReadChainStatus>();
  for (const network of plan.receivers.keys()) {
    const [setting, rpcUrl, chainStatus] =
      network === evmNetwork
        ? (['WEIR_X402_EVM_RPC_URL', settings.x402EvmRpcUrl, evmChainStatus(settings.x402EvmFinality)] as const)
        : (['WEIR_X402_SOLANA_RPC_URL', settings.x402SolanaRpcUrl, solanaChainStatus] as const);
    if (rpcUrl === '')
      logger.warn({ network, setting }, 'without an RPC address nobody can tell whether a settlement without an answer was charged');
    else askers.set(network, chainStatus(rpcUrl, clock));
  }
  return askers;
}

/** The code of the root cause, such as ECONNREFUSED. */
function causeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause instanceof Error && cause !== error ? causeOf(cause) : undefined;
}
