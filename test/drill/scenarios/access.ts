import { writeFileSync } from 'node:fs';
import { readPolicy } from '@weir/policy';
import { repeat } from '../repeat.ts';
import { minute, type Scenario } from '../scenario.ts';

export const guessedTokens: Scenario = {
  name: 'somebody tries tokens',
  alerts: { WeirAuthFailures: 10 * minute },
  breakIt: async ({ ask }) =>
    // A counter that is new has no increase, so one burst is not an attack yet.
    repeat(1_000, async (burst) => {
      for (let n = 0; n < 60; n += 1) await ask(`guess-${burst}-${n}`, 'GET', '/v1/screenings');
    }),
};

export const awaySignIn: Scenario = {
  name: 'the OIDC provider is away',
  alerts: { WeirSignInAway: 5 * minute, WeirRequestsFail: 10 * minute },
  breakIt: async ({ ask, issuer }) => {
    const part = (of: object): string => Buffer.from(JSON.stringify(of)).toString('base64url');
    const claims = { iss: issuer, aud: 'weir', sub: 'drill', exp: Math.floor(Date.now() / 1_000) + 3_600, roles: ['approvers'] };
    const token = `${part({ alg: 'RS256', kid: 'drill' })}.${part(claims)}.${Buffer.alloc(256, 1).toString('base64url')}`;
    return repeat(250, () => ask(token, 'GET', '/v1/screenings'));
  },
};

export const failingReceiver: Scenario = {
  name: 'the receiver of webhooks fails',
  alerts: { WeirWebhooksBehind: 20 * minute },
  breakIt: async (world) => {
    world.refuses = () => true;
    return async () => {
      world.refuses = () => false;
      const { stdout } = await world.weir(['webhooks', 'list', '--state', 'pending', '--json']);
      const pending = JSON.parse(stdout) as readonly { event_id: string }[];
      await world.weir(['webhooks', 'retry', ...pending.map(({ event_id: id }) => id)]);
    };
  },
};

export const pickyReceiver: Scenario = {
  name: 'the receiver of webhooks fails at some decisions',
  alerts: { WeirWebhookGivenUp: 30 * minute },
  breakIt: async (world) => {
    world.refuses = (body) => /"drill-\d*5"/.test(body);
    return async () => {
      world.refuses = () => false;
      await world.weir(['webhooks', 'retry', '--failed']);
    };
  },
};

export const wrongPolicy: Scenario = {
  name: 'the policy file is wrong',
  alerts: { WeirPolicyFileRejected: 5 * minute },
  breakIt: async ({ policyFile }) => {
    writeFileSync(policyFile, `${readPolicy()}nonsense: true\n`);
    return async () => writeFileSync(policyFile, readPolicy());
  },
};
