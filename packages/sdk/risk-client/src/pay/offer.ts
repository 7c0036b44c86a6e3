import { z } from 'zod';
import type { Network, NotPaid, NotPaidCode, Wallets } from './types.ts';

/** USDC, by network. */
const assets: Readonly<Record<Network, string>> = {
  'eip155:8453': '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
};

/** A payment with a longer life could be charged long after the call. */
const longestSeconds = 600;

const requirement = z.looseObject({
  scheme: z.string(),
  network: z.string(),
  asset: z.string(),
  amount: z.string().regex(/^[1-9]\d{0,17}$/),
  payTo: z.string().min(1).max(100),
  maxTimeoutSeconds: z.int().positive(),
  extra: z.record(z.string(), z.unknown()).nullish(),
});
const paymentRequired = z.looseObject({
  x402Version: z.literal(2),
  error: z.string().optional(),
  resource: z.looseObject({ url: z.string() }),
  accepts: z.array(z.unknown()).max(50),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});

type Requirement = z.output<typeof requirement>;
export type PaymentRequired = z.output<typeof paymentRequired>;

/** One of the API's payment requirements, with the whole `PAYMENT-REQUIRED`. */
export interface Offer {
  readonly required: PaymentRequired;
  readonly requirement: Requirement & { readonly network: Network };
}

export function notPaid(code: NotPaidCode, detail: string, retriable = false): NotPaid {
  return { kind: 'not_paid', code, retriable, detail };
}

/** Base64 of JSON. */
export function readPaymentRequired(header: string | null): PaymentRequired | undefined {
  const read = paymentRequired.safeParse(decodeHeader(header));
  return read.success ? read.data : undefined;
}

/** The first supported offer: USDC, scheme exact, a network with a wallet. */
export function chooseOffer(header: string | null, wallets: Wallets): Offer | NotPaid {
  const required = readPaymentRequired(header);
  if (required === undefined) return notPaid('OFFER_UNREADABLE', 'PAYMENT-REQUIRED is missing or not understood');
  if (required.extensions?.['payment-identifier'] === undefined)
    return notPaid('OFFER_UNSUPPORTED', 'without payment ids a lost answer could be paid twice');
  const offers = required.accepts.flatMap((candidate) => requirement.safeParse(candidate).data ?? []).filter(isOurs);
  const networks: Network[] = [];
  if (wallets.evm !== undefined) networks.push('eip155:8453');
  if (wallets.solana !== undefined) networks.push('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp');
  const chosen = networks.flatMap((network) => offers.filter((offer) => offer.network === network))[0];
  if (chosen === undefined) return notPaid('OFFER_UNSUPPORTED', 'no offer in USDC on a network that there is a wallet for');
  return { required, requirement: chosen };
}

function isOurs(offer: Requirement): offer is Requirement & { network: Network } {
  const asset = assets[offer.network as Network];
  const method = offer.extra?.assetTransferMethod;
  return (
    offer.scheme === 'exact' &&
    asset !== undefined &&
    (offer.network.startsWith('eip155:') ? offer.asset.toLowerCase() === asset.toLowerCase() : offer.asset === asset) &&
    offer.maxTimeoutSeconds <= longestSeconds &&
    // USDC's own authorization is good for one transfer; a permit could allow more.
    (method === undefined || method === 'eip3009')
  );
}

const settled = z.looseObject({ success: z.boolean(), transaction: z.string().max(200), errorReason: z.string().nullish() });

export function readSettled(header: string | null): z.output<typeof settled> | undefined {
  return settled.safeParse(decodeHeader(header)).data;
}

function decodeHeader(header: string | null): unknown {
  if (header === null || header.length > 100_000) return undefined;
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Codes of protocol and API are short words; other text could come from anybody. */
export function codeIn(text: unknown): string | undefined {
  return typeof text === 'string' && /^[A-Za-z][A-Za-z0-9_]{2,79}$/.test(text) ? text : undefined;
}
