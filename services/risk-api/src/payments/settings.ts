import { parseAddress } from '@weir/chains';
import { isPriceList } from './prices.ts';

/** Without a receiving address the surface is off. */
export interface PaySettings {
  /** Receives USDC on Base; empty: the network is not offered. */
  readonly x402PayToEvm: string;
  /** Owner of the token account that receives USDC on Solana; empty: the network is not offered. */
  readonly x402PayToSolana: string;
  /** Empty: this process settles payments, and needs an RPC URL and a key for each network. */
  readonly x402FacilitatorUrl: string;
  readonly x402FacilitatorToken: string;
  /** `operation=USDC,…`, overrides the specification's prices. */
  readonly x402Prices: string;
  readonly x402EvmRpcUrl: string;
  readonly x402SolanaRpcUrl: string;
  /** `safe`, `finalized`, or a number of confirmations. */
  readonly x402EvmFinality: string;
  readonly x402EvmSignerKey: string;
  readonly x402EvmSignerKeyFile: string;
  readonly x402SolanaSignerKey: string;
  readonly x402SolanaSignerKeyFile: string;
  /** Limits of concurrent unproven payments: in this process, and from one client address. */
  readonly x402UnprovenMax: number;
  readonly x402UnprovenPerClient: number;
  readonly x402VerifyLimitMs: number;
  readonly x402SettleLimitMs: number;
  /** Retention of the answer for a repeated payment. */
  readonly x402AnswerTtlMs: number;
  readonly x402ReconcileMs: number;
  /** `host:port` of the surface's own listener; empty: none. */
  readonly x402Listen: string;
}

export const defaultPaySettings: PaySettings = {
  x402PayToEvm: '',
  x402PayToSolana: '',
  x402FacilitatorUrl: '',
  x402FacilitatorToken: '',
  x402Prices: '',
  x402EvmRpcUrl: '',
  x402SolanaRpcUrl: '',
  x402EvmFinality: 'safe',
  x402EvmSignerKey: '',
  x402EvmSignerKeyFile: '',
  x402SolanaSignerKey: '',
  x402SolanaSignerKeyFile: '',
  x402UnprovenMax: 100,
  x402UnprovenPerClient: 10,
  x402VerifyLimitMs: 5_000,
  x402SettleLimitMs: 20_000,
  x402AnswerTtlMs: 86_400_000,
  x402ReconcileMs: 5_000,
  x402Listen: '',
};

const must =
  (holds: (text: string) => boolean, said: string) =>
  (value: unknown): void => {
    if (typeof value !== 'string' || (value !== '' && !holds(value))) throw new Error(said);
  };
const evmAddress = must((text) => parseAddress('ethereum', text) !== undefined, 'must be an address of Base');
// Only the form. The library that checks the 32 bytes is loaded where the surface starts.
const solanaAddress = must((text) => /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text), 'must be an address of Solana');
const finality = (value: unknown): void => {
  if (!/^(safe|finalized|\d{1,4})$/.test(String(value))) throw new Error('must be safe, finalized or a number of confirmations');
};
const priceList = must(isPriceList, 'must be a list such as risk_score=1,address_labels=0.1, in USDC with at most 6 decimals');

type Names = keyof PaySettings;
type Format = string | typeof String | ((value: unknown) => void);
type Entry = { doc: string; format: Format; env: string; sensitive?: true };

const entry = (env: string, format: Format, doc: string): Entry => ({ env, format, doc });
const secret = (env: string, format: Format, doc: string): Entry => ({ env, format, doc, sensitive: true });

const entries: Record<Exclude<Names, 'x402Listen'>, Entry> = {
  x402PayToEvm: entry('WEIR_X402_PAY_TO_EVM', evmAddress, 'Address that is paid USDC on Base; empty: that network is not offered'),
  x402PayToSolana: entry(
    'WEIR_X402_PAY_TO_SOLANA',
    solanaAddress,
    'Address whose token account is paid USDC on Solana; empty: that network is not offered',
  ),
  x402FacilitatorUrl: entry(
    'WEIR_X402_FACILITATOR_URL',
    'http-url',
    'Facilitator of x402 that verifies and settles payments; empty: this process does it, with an RPC address and a signer key for each network',
  ),
  x402FacilitatorToken: secret('WEIR_X402_FACILITATOR_TOKEN', String, 'Bearer token for the facilitator; empty: none is sent'),
  x402Prices: entry('WEIR_X402_PRICES', priceList, 'Prices in USDC that differ from the specification, as operation=price with commas'),
  x402EvmRpcUrl: secret(
    'WEIR_X402_EVM_RPC_URL',
    'http-url',
    'JSON-RPC of Base; tells whether a settlement of unknown outcome was paid, which a facilitator cannot',
  ),
  x402SolanaRpcUrl: secret('WEIR_X402_SOLANA_RPC_URL', 'http-url', 'JSON-RPC of Solana, for the same'),
  x402EvmFinality: entry(
    'WEIR_X402_EVM_FINALITY',
    finality,
    'Up to which block of Base a settlement of unknown outcome is looked for: safe, finalized, or that many blocks before the latest',
  ),
  x402EvmSignerKey: secret('WEIR_X402_EVM_SIGNER_KEY', String, 'Key that pays gas on Base where this process settles, 0x and 64 digits'),
  x402EvmSignerKeyFile: entry('WEIR_X402_EVM_SIGNER_KEY_FILE', String, 'File that holds it'),
  x402SolanaSignerKey: secret(
    'WEIR_X402_SOLANA_SIGNER_KEY',
    String,
    "Key that pays fees on Solana where this process settles: 64 bytes in base58, or as the array of a wallet's file",
  ),
  x402SolanaSignerKeyFile: entry('WEIR_X402_SOLANA_SIGNER_KEY_FILE', String, 'File that holds it'),
  x402UnprovenMax: entry(
    'WEIR_X402_UNPROVEN_MAX',
    'positive-int',
    'Payments in hand at once, in one process, that are not proven yet; further ones are answered with 503. Half is for payers who have settled before, a fifth at most for signatures that only a chain can check',
  ),
  x402UnprovenPerClient: entry(
    'WEIR_X402_UNPROVEN_PER_CLIENT',
    'positive-int',
    'As many of them from one client address, or by one payer who has settled before; further ones are answered with 429. Behind a proxy set WEIR_TRUSTED_PROXIES',
  ),
  x402VerifyLimitMs: entry('WEIR_X402_VERIFY_LIMIT_MS', 'positive-int', 'How long the facilitator may take to verify a payment'),
  x402SettleLimitMs: entry(
    'WEIR_X402_SETTLE_LIMIT_MS',
    'positive-int',
    'How long it may take to settle one; after that the outcome is unknown and found out later',
  ),
  x402AnswerTtlMs: entry('WEIR_X402_ANSWER_TTL_MS', 'positive-int', 'How long a paid answer is kept for whoever sends the payment again'),
  x402ReconcileMs: entry('WEIR_X402_RECONCILE_MS', 'positive-int', 'How often settlements of unknown outcome are looked after'),
};

type PaySchema = { readonly [Name in keyof typeof entries]: Entry & { default: PaySettings[Name] } };

export const paySchema = Object.fromEntries(
  Object.entries(entries).map(([name, own]) => [name, { ...own, default: defaultPaySettings[name as Names] }]),
) as PaySchema;
