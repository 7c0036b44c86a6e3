import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@weir/clock';
import { openPostgresLog } from '@weir/event-log';
import { readPolicy } from '@weir/policy';
import { connectToRunning, openPool, openSession } from '@weir/postgres';
import type { World } from './world.ts';

/** One thing that breaks, and the alert that must say so. */
export interface Scenario {
  readonly name: string;
  readonly alert: string;
  /** Seconds that the alert may take in operation: its window, its `for`, and the age that it compares. */
  readonly seconds: number;
  /** The installation starts broken. */
  readonly isFromStart?: boolean;
  readonly breakIt: (world: World) => Promise<void>;
  /** Afterwards the alert ends within the same time. Left out: it ends by itself. */
  readonly mend?: (world: World) => Promise<void>;
}

const minute = 60;
const low = { score: 3, risk_level: 'Low', detail_list: [] };

/** In this order: the budget is used up at the end. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'nothing was imported into the risk service',
    alert: 'WeirChainDataEmpty',
    seconds: 5 * minute,
    isFromStart: true,
    breakIt: () => Promise.resolve(),
    mend: async ({ weir, file }) => {
      const thief = `0x${'d'.repeat(40)}`;
      const labels = file('labels.csv', `chain,address,name,category\nethereum,${thief},A thief,theft\n`);
      await weir(['labels', 'import', labels, '--format', 'csv', '--source', 'drill']);
    },
  },
  {
    name: 'the provider in shadow is stricter',
    alert: 'WeirShadowStricter',
    seconds: 60 * minute,
    breakIt: ({ second }) => {
      second.answer(() => ({ data: { score: 95, risk_level: 'Severe', detail_list: ['Malicious Address'] } }));
      return Promise.resolve();
    },
  },
  {
    name: 'the risk API is away',
    alert: 'WeirUpstreamAway',
    seconds: 7 * minute,
    breakIt: ({ upstream }) => upstream.away(),
    mend: ({ upstream }) => upstream.back(),
  },
  {
    name: 'the key of the risk API is revoked',
    alert: 'WeirUpstreamErrors',
    seconds: 7 * minute,
    breakIt: ({ upstream }) => {
      const body = JSON.stringify({ success: false, msg: 'InvalidApiKey', data: {} });
      upstream.answer(() => ({ instead: { on: 'query', status: 401, body } }));
      return Promise.resolve();
    },
    mend: ({ upstream }) => {
      upstream.answer(() => ({}));
      return Promise.resolve();
    },
  },
  {
    name: 'the risk API takes no question',
    alert: 'WeirScreeningNearDeadline',
    seconds: 8 * minute,
    breakIt: ({ upstream }) => {
      upstream.answer(() => ({ instead: { on: 'create', status: 503, body: '{}' } }));
      return Promise.resolve();
    },
    mend: ({ upstream }) => {
      upstream.answer(() => ({ data: low }));
      return Promise.resolve();
    },
  },
  {
    name: 'a writer publishes what is no record',
    alert: 'WeirDeadLetters',
    seconds: 15 * minute,
    breakIt: async ({ installation }) => {
      const database = { url: connectToRunning(installation.dataDir) ?? '' };
      const pool = openPool({ ...database, max: 1 });
      const session = await openSession({ ...database, applicationName: 'drill', clock: systemClock });
      const log = openPostgresLog({ pool, session, clock: systemClock });
      await log.publish([{ topic: 'deposits.detected', key: 'drill', value: Buffer.from('no record'), headers: {} }]);
      await log.close();
      await session.close();
      await pool.end();
    },
  },
  {
    name: 'somebody tries tokens',
    alert: 'WeirAuthFailures',
    seconds: 10 * minute,
    breakIt: async ({ installation }) => {
      // A counter that is new has no increase, so one burst is not an attack yet.
      for (let burst = 0; burst < 6; burst += 1) {
        for (let n = 0; n < 60; n += 1)
          await fetch(`${installation.url}/v1/screenings`, { headers: { authorization: `Bearer guess-${burst}-${n}` } });
        await delay(1_000);
      }
    },
  },
  {
    name: 'the OIDC provider is away',
    alert: 'WeirSignInAway',
    seconds: 5 * minute,
    breakIt: async ({ installation, issuer }) => {
      const part = (of: object): string => Buffer.from(JSON.stringify(of)).toString('base64url');
      const claims = { iss: issuer, aud: 'weir', sub: 'drill', exp: Math.floor(Date.now() / 1_000) + 600, roles: ['approvers'] };
      const token = `${part({ alg: 'RS256', kid: 'drill' })}.${part(claims)}.${Buffer.alloc(256, 1).toString('base64url')}`;
      await fetch(`${installation.url}/v1/screenings`, { headers: { authorization: `Bearer ${token}` } });
    },
  },
  {
    name: 'the receiver of webhooks fails',
    alert: 'WeirWebhooksBehind',
    seconds: 15 * minute,
    breakIt: (world) => {
      world.webhookStatus = 500;
      return Promise.resolve();
    },
    mend: async (world) => {
      world.webhookStatus = 200;
      const { stdout } = await world.weir(['webhooks', 'list', '--state', 'pending', '--json']);
      const pending = JSON.parse(stdout) as readonly { event_id: string }[];
      await world.weir(['webhooks', 'retry', ...pending.map(({ event_id: id }) => id)]);
    },
  },
  {
    name: 'the policy file is wrong',
    alert: 'WeirPolicyFileRejected',
    seconds: 5 * minute,
    breakIt: ({ policyFile }) => {
      writeFileSync(policyFile, `${readPolicy()}nonsense: true\n`);
      return Promise.resolve();
    },
    mend: ({ policyFile }) => {
      writeFileSync(policyFile, readPolicy());
      return Promise.resolve();
    },
  },
  {
    name: 'a service ends',
    alert: 'WeirServiceDown',
    seconds: 1 * minute,
    breakIt: ({ installation }) => installation.kill('weir'),
    mend: ({ installation }) => installation.start(),
  },
  {
    name: 'the day has few calls left',
    alert: 'WeirBudgetNearlyGone',
    seconds: 20 * minute,
    breakIt: ({ deposit }) => deposit(1_000),
  },
];
