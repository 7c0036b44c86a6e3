import { createHash } from 'node:crypto';
import type { ReviewResolved, ScreeningDecided } from '@weir/contracts';
import { type AccessSettings, createApp, createLogger, loadConfig, storeToken } from '@weir/service-kit';
import { openTestStack, type TestService, type TestStack, readTopic } from '@weir/service-kit/testing';
import { consoleSchema } from '../config.ts';
import { consoleRole } from '../events.testing.ts';
import { startConsole } from '../service.ts';

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests check the shape of the answer
  readonly body: any;
}

/** A console on a real database, with a token for each person. */
export interface ReviewStack {
  readonly stack: TestStack;
  /** Reviews get no due time by themselves, unless `dueMs` is given. */
  start(singleBelowUsd?: string, access?: Partial<AccessSettings>, dueMs?: number): Promise<Console>;
}

export interface Console extends TestService {
  /** `who`: one of `people`, or a token; undefined: none. */
  ask(method: string, path: string, who: string | undefined, body?: unknown): Promise<Answer>;
  /** GET as one of `people`; the answer as it is. */
  fetch(path: string, who: keyof typeof people): Promise<Response>;
}

/** Token names begin with their role. `approver-ann` is Ann's second token. */
export const people = {
  reviewer: ['reviewer', 'Ann'],
  'reviewer-2': ['reviewer', 'Ben'],
  'approver-ann': ['approver', ' ANN'],
  approver: ['approver', 'Cleo'],
  'approver-2': ['approver', 'Dan'],
  auditor: ['auditor', 'Eve'],
  admin: ['admin', 'Finn'],
  ingest: ['ingest', 'machine'],
  gate: ['gate', 'machine'],
} as const;

export const idOf = (who: keyof typeof people): string =>
  `${people[who][0]}:${createHash('sha256').update(`token-${who}`).digest('hex').slice(0, 16)}`;

export async function openReviewStack(): Promise<ReviewStack> {
  const stack = await openTestStack({ roles: [consoleRole] });
  return {
    stack,
    start: async (reviewSingleBelowUsd = '', access = {}, reviewDueMs = 0) => {
      const settings = { ...loadConfig(consoleSchema, {}), reviewSingleBelowUsd, reviewDueMs };
      const console = await stack.service((pipeline) => startConsole(pipeline, settings), { access, role: consoleRole });
      for (const [who, [role, name]] of Object.entries(people)) await storeToken(stack.db.pool, `token-${who}`, role, name);
      const app = createApp(createLogger({ service: 'console', level: 'silent' }), console.service.operations);
      return {
        ...console,
        fetch: async (path, who) => app.request(path, { headers: { authorization: `Bearer token-${who}` } }),
        ask: async (method, path, who, body) => {
          const headers = {
            ...(who === undefined ? {} : { authorization: `Bearer ${Object.hasOwn(people, who) ? `token-${who}` : who}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          };
          const text = typeof body === 'string' ? body : JSON.stringify(body);
          const answer = await app.request(path, { method, headers, ...(body === undefined ? {} : { body: text }) });
          return { status: answer.status, body: await answer.json() };
        },
      };
    },
  };
}

/** The decision that applies a resolution. */
export function followed(resolution: ReviewResolved, before: ScreeningDecided): ScreeningDecided {
  const { revision, action, resolution_id } = resolution;
  return { ...before, revision: revision + 1, supersedes: revision, action, reason_codes: ['REVIEWED'], rule: null, resolution_id };
}

/** The published resolutions without repeats. Throws if a repeat has other bytes. */
export async function resolutions({ pipeline }: TestService): Promise<ReviewResolved[]> {
  const byId = new Map<string, { bytes: string; data: ReviewResolved }>();
  for (const { id, data, record } of await readTopic(pipeline, 'reviews.resolved')) {
    const bytes = record.value.toString('hex');
    if ((byId.get(id)?.bytes ?? bytes) !== bytes) throw new Error('one event id has two contents');
    byId.set(id, { bytes, data });
  }
  return [...byId.values()].map(({ data }) => data);
}
