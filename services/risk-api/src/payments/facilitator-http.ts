import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { z } from 'zod';
import type { Clients } from './facilitator.ts';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const verified = z.object({ isValid: z.boolean(), invalidReason: text, payer: text });
const settled = z.object({ success: z.boolean(), errorReason: text, payer: text, transaction: z.string(), network: z.string() });
const supported = z.object({
  kinds: z.array(
    z.object({ x402Version: z.number(), scheme: z.string(), network: z.string(), extra: z.record(z.string(), z.unknown()).nullish() }),
  ),
});

/** A normal answer has a few hundred bytes. */
const mostBytes = 1_000_000;

/**
 * The library's client follows redirects, and would send the payment and the operator's token to any host. This one treats a redirect as a
 * failure.
 */
export function httpClients(url: string, token: string, limits: { verifyMs: number; settleMs: number }): Clients {
  const base = url.replace(/\/+$/, '');
  const headers = { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };

  async function ask<T>(call: string, schema: z.ZodType<T>, timeoutMs: number, body?: object): Promise<T> {
    const response = await fetch(`${base}/${call}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body, plain) }),
    });
    const parsed = schema.safeParse(await jsonOf(response));
    if (response.ok && parsed.success) return parsed.data;
    const failed = Object.assign(new Error(`the facilitator answered ${call} with HTTP ${response.status}`), { name: 'FacilitatorError' });
    // Some facilitators reject with an HTTP error status and give the reason in the body.
    throw response.ok || !parsed.success ? failed : Object.assign(failed, parsed.data, { statusCode: response.status });
  }

  const asked = (paymentPayload: PaymentPayload, paymentRequirements: PaymentRequirements) => ({
    x402Version: paymentPayload.x402Version,
    paymentPayload,
    paymentRequirements,
  });
  return {
    verify: {
      verify: (payload, requirements) => ask('verify', verified, limits.verifyMs, asked(payload, requirements)) as never,
      getSupported: () => ask('supported', supported, limits.verifyMs) as never,
    },
    settle: {
      settle: (payload, requirements) => ask('settle', settled, limits.settleMs, asked(payload, requirements)) as never,
    },
  };
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** Undefined for a body that is not JSON. Fails on a connection error and on a body that is too long. */
async function jsonOf(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error('the answer of the facilitator is too long');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}
