import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { PayingClient, type Payment } from '@weir/risk-client/pay';
import type { ProviderSettings } from '@weir/scoring';
import { confirm } from '../../confirm.ts';
import { Interrupted, UsageError } from '../../failure.ts';
import type { AllSettings } from '../../settings.ts';
import type { ScreenFlags } from '../open.ts';
import type { Question } from '../question.ts';
import { findUpstream } from '../upstream.ts';
import { askPaid, type PaidScreening } from './ask.ts';
import { openJournal } from './journal.ts';
import { microUsdcOf, usdcOf } from './usdc.ts';
import { walletsOf } from './wallet.ts';

export interface PaidAsker {
  ask(question: Question): Promise<PaidScreening>;
  readonly provider: string;
  /** Closes a delivered payment, so that the same question pays again. Unused for files, whose results decide. */
  delivered(screening: PaidScreening): void;
  /** The amount spent, for a person. */
  summary(): string;
}

/** Without `--max-usdc`: one score, and only after a yes at the terminal. */
const smallCap = 1_000_000n;

/** Opens the payer with its wallet and cap. Payments are stored in `--out` plus `.payments`, or in the data folder. */
export async function openPaid(flags: ScreenFlags, settings: AllSettings, undo: (() => Promise<unknown>)[]): Promise<PaidAsker> {
  const url = settings.payUrl === '' ? payableUrl(findUpstream(flags, settings)) : settings.payUrl;
  const wallets = await walletsOf(flags.payKeyFile, settings);
  const file = flags.out === undefined ? join(settings.dataDir, 'payments.jsonl') : `${flags.out}.payments`;
  if (flags.out !== undefined && !flags.resume && existsSync(file)) throw new UsageError(`${file} already exists; --resume continues it`);
  const cap = await capOf(flags, new URL(url).host);
  const journal = await openJournal(file);
  const stop = new AbortController();
  undo.push(async () => {
    stop.abort();
    await journal.close();
  });
  const clock = systemClock;
  const client = new PayingClient({
    baseUrl: url,
    wallets,
    spendingCapMicroUsdc: cap,
    clock,
    patienceMs: flags.wait * 1_000,
    onSigned: async (claim) => journal.signed(JSON.stringify(claim.fields), claim),
  });
  const options = { client, journal, clock, maxAgeMs: settings.maxAnswerAgeMs, signal: stop.signal };
  return {
    ask: (question) => askPaid(options, question),
    provider: new URL(url).host,
    delivered: ({ outcome, payment }) => {
      if (payment !== null && outcome !== 'UNAVAILABLE') journal.closed(payment.claim);
    },
    summary: () => {
      const { settled, open } = client.spending();
      return `spent ${usdcOf(settled)} USDC${open > 0n ? `, and perhaps ${usdcOf(open)} more` : ''}.`;
    },
  };
}

/** Only an API of the specified shape is paid per call. */
function payableUrl({ kind, url }: ProviderSettings): string {
  if (kind === 'specified' || kind === 'misttrack') return url;
  throw new UsageError(`--pay needs an API of the specified shape; WEIR_PROVIDER is ${kind}, so set WEIR_PAY_URL`);
}

async function capOf({ maxUsdc }: ScreenFlags, host: string): Promise<bigint> {
  if (maxUsdc !== undefined) {
    const cap = microUsdcOf(maxUsdc);
    if (cap === undefined) throw new UsageError('--max-usdc must be an amount such as 5 or 2.50');
    return cap;
  }
  if (!process.stdin.isTTY) throw new UsageError('--pay needs --max-usdc, the most that may be spent');
  if (!(await confirm(`Spend up to ${usdcOf(smallCap)} USDC at ${host}?`, undefined))) throw new Interrupted('nothing was paid');
  return smallCap;
}

/** One payment for programs. */
export function paymentJson(payment: Payment | null): object | null {
  if (payment === null) return null;
  const { claim, state, transaction } = payment;
  return { id: claim.paymentId, network: claim.network, amount_usdc: usdcOf(BigInt(claim.amount)), state, transaction };
}
