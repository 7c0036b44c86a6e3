import { chains } from '@weir/chains';
import type { Clock } from '@weir/clock';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import type { ReportKeys } from './keys.ts';
import type { ReportQuery } from './query.ts';

/** Tokens for another purpose are invalid. */
const audience = 'weir-risk-report';
/** The longest valid one has about 500 characters. */
const maxTokenLength = 2_048;

const direction = z.enum(['deposit', 'withdraw']);
const subject = z.string().min(1).max(512);

const claims = z.union([
  z
    .object({ sub: subject, chain: z.enum(chains), kind: z.enum(['address', 'txid']), direction, coin: z.string().max(32), at: z.int() })
    .transform(({ sub, at, ...rest }): ReportQuery => ({ ...rest, subject: sub, scannedAt: at })),
  z
    .object({ sandbox: subject, direction: direction.optional() })
    .transform(({ sandbox, direction: side }): ReportQuery => (side === undefined ? { sandbox } : { sandbox, direction: side })),
]);

/** Signs and verifies the query in a report's URL: JWT (RFC 7519), HS256, key id in `kid`. */
export class ReportTokens {
  readonly #keys: ReportKeys;
  readonly #clock: Clock;
  readonly #lifeMs: number;

  constructor(options: { keys: ReportKeys; clock: Clock; lifeMs: number }) {
    this.#keys = options.keys;
    this.#clock = options.clock;
    this.#lifeMs = options.lifeMs;
  }

  async sign(query: ReportQuery): Promise<string> {
    const { id, secret } = await this.#keys.newest();
    return new SignJWT(claimsOf(query))
      .setProtectedHeader({ alg: 'HS256', kid: id })
      .setAudience(audience)
      .setExpirationTime(Math.floor((this.#clock.now() + this.#lifeMs) / 1000))
      .sign(secret);
  }

  /** Rejects with `ExpiredAccessToken` for an expired token, with `InvalidAccessToken` for a forged one. */
  async verify(token: string): Promise<ReportQuery> {
    if (token.length > maxTokenLength) throw new Failure('InvalidAccessToken');
    const payload = await this.#payloadOf(token);
    const parsed = claims.safeParse(payload);
    if (!parsed.success) throw new Failure('InvalidAccessToken');
    return parsed.data;
  }

  async #payloadOf(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => {
          const key = kid === undefined ? undefined : await this.#keys.find(kid);
          if (key === undefined) throw new Failure('InvalidAccessToken');
          return key.secret;
        },
        { algorithms: ['HS256'], audience, requiredClaims: ['exp'], currentDate: new Date(this.#clock.now()) },
      );
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new Failure('ExpiredAccessToken');
      if (error instanceof errors.JOSEError) throw new Failure('InvalidAccessToken');
      throw error;
    }
  }
}

function claimsOf(query: ReportQuery): JWTPayload {
  if ('sandbox' in query) return { ...query };
  const { subject: sub, scannedAt: at, chain, kind, direction: side, coin } = query;
  return { sub, chain, kind, direction: side, coin, at };
}
