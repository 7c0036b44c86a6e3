import { bare, type Json } from '@weir/service-kit';
import { z } from 'zod';
import { type FailureCode, failureCodes, statusOf } from '../../failure.ts';
import { paymentErrors } from '../../payments/verification.ts';
import { evmNetwork, payNetworks, usdcOn } from '../../payments/networks.ts';
import type { Description } from '../operation.ts';

const ofTheKey: readonly FailureCode[] = ['InvalidApiKey', 'ExpiredPlan', 'ExceededRateLimit', 'ExceededDailyRateLimit'];
const ofTheServer: readonly FailureCode[] = ['InternalError', 'ServiceUnavailable'];
const ofABody: readonly FailureCode[] = ['PayloadTooLarge', 'UnsupportedMediaType'];

const ofAPayment: readonly FailureCode[] = [
  'PaymentRequired',
  'PaymentConflict',
  'PaymentInProgress',
  'ExceededRateLimit',
  'SettlementPending',
];

const waitText = '`retry_after` and the header Retry-After say for how many seconds.';
const meanings: Readonly<Record<number, string>> = {
  400: 'The key or the request is wrong.',
  402: 'The plan of the key has ended.',
  403: 'The token is not valid, or no longer.',
  409: 'The payment was sent before: for another request, or it is still being answered.',
  413: 'The body is too large.',
  415: 'The body is not application/json.',
  429: `A limit of the key. ${waitText}`,
  500: 'Something went wrong in the service.',
  503: 'A dependency is unavailable, or a score was not ready in time; try again.',
};

export function failureBody(status: number, codes: readonly FailureCode[]) {
  const fields = { success: z.literal(false), msg: z.enum(codes), data: z.strictObject({}) };
  if (codes.includes('PaymentRequired')) return z.strictObject({ ...fields, ...wanted });
  if (status === 429) return z.strictObject({ ...fields, retry_after: z.int().min(1) });
  const isPaid = codes.some((code) => ofAPayment.includes(code));
  return z.strictObject(isPaid ? { ...fields, retry_after: z.int().min(1).optional() } : fields);
}

/** The body of an unpaid call, as the header PAYMENT-REQUIRED of x402 version 2. */
const wanted = {
  x402Version: z.literal(2),
  error: z.enum(paymentErrors).meta({ description: 'Why a payment that came was not taken; payment_required: there was none.' }),
  resource: z.looseObject({ url: z.string() }),
  accepts: z.array(
    z.looseObject({
      scheme: z.literal('exact'),
      network: z.enum(payNetworks),
      amount: z.string().meta({ description: 'Millionths of a USDC.' }),
      asset: z.string(),
      payTo: z.string(),
      maxTimeoutSeconds: z.int(),
    }),
  ),
  extensions: z.record(z.string(), z.unknown()),
};

type Refusing = Pick<Description, 'keyed' | 'method' | 'refusals'> & { readonly price?: string };

export function failuresOf({ keyed, method, refusals, price }: Refusing): ReadonlyMap<number, readonly FailureCode[]> {
  const ownOfABody = method === 'POST' ? [...ofABody, 'InvalidParameter' as const] : [];
  return Map.groupBy(
    new Set([...(keyed ? ofTheKey : []), ...(price === undefined ? [] : ofAPayment), ...refusals, ...ownOfABody, ...ofTheServer]),
    statusOf,
  );
}

/** Every code that these calls answer, and that of an unknown path. */
export function codesOf(pages: readonly Refusing[]): readonly FailureCode[] {
  const own = new Set(pages.flatMap((page) => [...failuresOf(page).values()].flat()));
  return failureCodes.filter((code) => code === 'PageNotFound' || own.has(code));
}

export function failureResponses(page: Refusing): Json {
  return Object.fromEntries([...failuresOf(page)].map(([status, codes]) => [String(status), responseOf(status, codes)]));
}

function responseOf(status: number, codes: readonly FailureCode[]): Json {
  const limited = status === 429;
  const schema = bare(z.toJSONSchema(failureBody(status, codes), { io: 'output' }));
  const unpaid = codes.includes('PaymentRequired');
  const example = { success: false, msg: codes[0], data: {}, ...(limited ? { retry_after: 1 } : unpaid ? unpaidExample : {}) };
  const integer = { type: 'integer', minimum: 1 };
  const headers = {
    ...(limited || codes.some((code) => code !== 'PaymentRequired' && ofAPayment.includes(code))
      ? { 'Retry-After': { description: 'Seconds.', required: limited, schema: integer } }
      : {}),
    ...(unpaid ? { 'PAYMENT-REQUIRED': { description: 'x402 version 2, base64.', required: true, schema: { type: 'string' } } } : {}),
  };
  return {
    description: meaningOf(status, codes),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { 'application/json': { schema, example } },
  };
}

function meaningOf(status: number, codes: readonly FailureCode[]): string {
  if (codes.includes('PaymentRequired')) return 'Payment required: send the header PAYMENT-SIGNATURE, as the answer says.';
  if (status === 429 && !codes.includes('ExceededDailyRateLimit'))
    return `Too many unproven payments of one client or payer at once. ${waitText}`;
  return meanings[status] ?? 'Failure.';
}

const unpaidExample = {
  x402Version: 2,
  error: 'payment_required',
  resource: { url: 'https://risk.example/x402/address_labels?coin=ETH&address=0x28C6c06298d514Db089934071355E5743bf21d60' },
  accepts: [
    {
      scheme: 'exact',
      network: evmNetwork,
      amount: '100000',
      payTo: '0x0000000000000000000000000000000000000001',
      maxTimeoutSeconds: 300,
      ...usdcOn[evmNetwork],
    },
  ],
  extensions: {},
};
