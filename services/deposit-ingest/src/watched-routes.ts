import { listWatched, readFollowedChain, type WatchedAddress } from '@weir/chain-store';
import { type Chain, chains, displayAddress, parseAddress } from '@weir/chains';
import type { Clock } from '@weir/clock';
import { isRecordTime } from '@weir/contracts';
import type { Pool } from '@weir/postgres';
import { admission, type Callers, type Operation, operation, personOf, problem } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { customerId, unwatch, watch } from './watch.ts';

export interface WatchedApiOptions {
  readonly db: Pool;
  readonly access: Callers;
  readonly clock: Clock;
}

const tag = 'watched addresses';
const mostAtOnce = 1_000;
const longestAddress = 200;
const [defaultLimit, maxLimit] = [100, 1_000];

const chain = z.enum(chains as unknown as readonly [Chain, ...Chain[]]);
const time = z.iso
  .datetime({ offset: true })
  // Text that is no time has its own words.
  .refine((value) => Number.isNaN(Date.parse(value)) || isRecordTime(Date.parse(value)), 'must be a time of the years 1 to 9999')
  .transform((value) => new Date(value));

const body = z
  .strictObject({
    chain,
    addresses: z
      .array(
        z.strictObject({
          address: z.string().max(longestAddress),
          user_id: customerId.meta({ description: 'The customer whose deposits it receives.' }),
        }),
      )
      .min(1)
      .max(mostAtOnce),
    since: time.optional().meta({ description: 'RFC 3339. Blocks before do not count. Left out: now.' }),
  })
  .superRefine(({ chain: of, addresses }, context) => {
    const users = new Map<string, string | null>();
    for (const [n, { address, user_id: user }] of addresses.entries()) {
      const parsed = parseAddress(of, address);
      const path = ['addresses', n, 'address'];
      if (parsed === undefined) context.addIssue({ code: 'custom', path, message: `is no address of ${of}` });
      else if (users.has(parsed) && users.get(parsed) !== user)
        context.addIssue({ code: 'custom', path, message: 'is given twice, with another user_id' });
      else users.set(parsed, user);
    }
  });

const view = z.strictObject({ chain, address: z.string(), user_id: z.string().nullable(), since: z.iso.datetime() });
const example = {
  chain: 'ethereum' as const,
  address: '0x28C6c06298d514Db089934071355E5743bf21d60',
  user_id: 'u-1',
  since: '2026-01-31T09:12:23.000Z',
};
const added = z.strictObject({
  given: z.int().meta({ description: 'Addresses of the body.' }),
  added: z.int().meta({ description: 'Those that were not watched before.' }),
  is_followed: z.boolean().meta({ description: 'False: nobody follows this chain yet, so nothing is detected.' }),
});
const removed = z.strictObject({ removed: z.int() });
const segments = z.object({
  chain: z.string().meta({ description: 'Name of the chain.', example: example.chain }),
  address: z.string().meta({ description: 'In any form that the chain has.', example: example.address }),
});
const elsewhere = { NOT_FOLLOWED: [404, 'This database follows no chain: its risk service has one of its own.'] } as const;

const cursorOf = (last: WatchedAddress): string => Buffer.from(JSON.stringify([last.chain, last.address])).toString('base64url');

/** For zod's `transform`. */
function placeOf(cursor: string, context: z.RefinementCtx): Pick<WatchedAddress, 'chain' | 'address'> {
  const place = z.tuple([chain, z.string()]).safeParse(parsedJson(Buffer.from(cursor, 'base64url').toString()));
  if (place.success) return { chain: place.data[0], address: place.data[1] };
  context.addIssue({ code: 'custom', message: 'must be the next_cursor of an earlier answer' });
  return z.NEVER;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Numbers in a query are decimal text. */
const digits = (value: unknown): unknown => (typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value);

/** The exchange's own addresses, to which the chain follower announces deposits. */
export function watchedOperations({ db, access, clock }: WatchedApiOptions): readonly Operation[] {
  const add = operation({
    name: 'watch_addresses',
    method: 'POST',
    path: '/v1/watched-addresses',
    tag,
    summary: `Watches up to ${mostAtOnce} addresses of a chain, all or none.`,
    description: 'What they receive becomes a deposit, and what they pay needs a permit, from the next block on.',
    admission: admission(access, ['ingest', 'admin']),
    body: {
      schema: body,
      what: 'addresses to watch',
      example: { chain: example.chain, addresses: [{ address: example.address, user_id: 'u-1' }] },
    },
    answers: [{ status: 200, description: 'They are watched.', schema: added, example: { given: 1, added: 1, is_followed: true } }],
    problems: elsewhere,
    repeats: 'An address that is watched keeps its since, and gets the given user_id.',
    respond: async (c, { body: { chain: of, addresses, since } }) => {
      if (!(await follows(db))) return notFollowed(c);
      const now = clock.now();
      const given = addresses.map(
        ({ address, user_id: userId }): WatchedAddress => ({
          chain: of,
          address: parseAddress(of, address) ?? address,
          userId,
          since: since ?? new Date(now),
        }),
      );
      const isNew = await watch(db, given, { by: personOf(c.get('caller')), at: now });
      const is_followed = (await readFollowedChain(db, of)) !== undefined;
      return c.json({ given: given.length, added: isNew, is_followed });
    },
  });
  const list = operation({
    name: 'list_watched_addresses',
    method: 'GET',
    path: '/v1/watched-addresses',
    tag,
    summary: 'Lists watched addresses by chain and address.',
    admission: admission(access, ['ingest', 'auditor', 'admin']),
    query: z.object({
      chain: chain.optional(),
      cursor: z
        .string()
        .max(500)
        .transform(placeOf)
        .optional()
        .meta({ description: 'The next_cursor of an earlier answer. Left out: the first page.' }),
      limit: z.preprocess(digits, z.int().min(1).max(maxLimit).default(defaultLimit)).meta({ description: 'Items in the answer.' }),
    }),
    answers: [
      {
        status: 200,
        description: 'One page.',
        schema: z.strictObject({ items: z.array(view), next_cursor: z.string().nullable() }),
        example: { items: [example], next_cursor: null },
      },
    ],
    problems: elsewhere,
    respond: async (c, { query: { chain: only, cursor, limit } }) => {
      if (!(await follows(db))) return notFollowed(c);
      const found = await listWatched(db, { chain: only ?? null, after: cursor, limit: limit + 1 });
      const items = found.slice(0, limit);
      const last = found.length > limit ? items.at(-1) : undefined;
      c.header('cache-control', 'no-store');
      return c.json({ items: items.map(viewOf), next_cursor: last === undefined ? null : cursorOf(last) });
    },
  });
  const remove = operation({
    name: 'unwatch_address',
    method: 'DELETE',
    path: '/v1/watched-addresses/{chain}/{address}',
    tag,
    summary: 'Watches an address no longer.',
    description: 'Announced deposits stay. Only an administrator may do so, because deposits to it are no longer screened by themselves.',
    admission: admission(access, ['admin']),
    segments,
    answers: [{ status: 200, description: 'It is watched no longer.', schema: removed, example: { removed: 1 } }],
    problems: { ...elsewhere, NOT_FOUND: [404, 'It was not watched.'] },
    repeats: 'Then it is 404.',
    respond: async (c) => {
      if (!(await follows(db))) return notFollowed(c);
      const of = chain.safeParse(c.req.param('chain'));
      const address = of.success ? parseAddress(of.data, c.req.param('address') ?? '') : undefined;
      const count =
        of.success && address !== undefined ? await unwatch(db, of.data, [address], { by: personOf(c.get('caller')), at: clock.now() }) : 0;
      return count === 0 ? problem(c, 404, 'NOT_FOUND', 'this address is not watched') : c.json({ removed: count });
    },
  });
  return [add, list, remove];
}

function viewOf({ chain: of, address, userId, since }: WatchedAddress): z.output<typeof view> {
  return { chain: of, address: displayAddress(of, address), user_id: userId, since: since.toISOString() };
}

/** Where the risk service has a database of its own, its follower has the watched addresses there. */
async function follows(db: Pool): Promise<boolean> {
  const { rows } = await db.query<{ there: boolean }>(`SELECT to_regclass('chain.watched') IS NOT NULL AS there`);
  return rows[0]?.there === true;
}

function notFollowed(c: Context): Response {
  return problem(c, 404, 'NOT_FOLLOWED', 'this database follows no chain');
}
