import { minute, type Scenario } from '../scenario.ts';
import { address } from '../address.ts';

const severe = { score: 95, risk_level: 'Severe', detail_list: ['Malicious Address'] };

export const stricterShadow: Scenario = {
  name: 'the provider in shadow is stricter',
  alerts: { WeirShadowStricter: 60 * minute },
  breakIt: async ({ second, usual }) => {
    second.answer(() => ({ data: severe }));
    return async () => second.answer(usual);
  },
};

export const awayUpstream: Scenario = {
  name: 'the risk API is away',
  alerts: { WeirUpstreamAway: 7 * minute, WeirScoreChangesUnread: 16 * minute },
  breakIt: async ({ upstream }) => {
    await upstream.away();
    return () => upstream.back();
  },
};

export const revokedKey: Scenario = {
  name: 'the key of the risk API is revoked',
  alerts: { WeirUpstreamErrors: 7 * minute },
  breakIt: async ({ upstream, usual }) => {
    const body = JSON.stringify({ success: false, msg: 'InvalidApiKey', data: {} });
    upstream.answer(() => ({ instead: { on: 'query', status: 401, body } }));
    return async () => upstream.answer(usual);
  },
};

export const fallback: Scenario = {
  name: 'the risk API is away, and a second provider takes its place',
  alerts: { WeirFallbackDecides: 5 * minute },
  breakIt: async ({ installation, env, upstream }) => {
    await installation.end();
    env['WEIR_SECOND_ROLE'] = 'fallback';
    await installation.start();
    await upstream.away();
    return () => upstream.back();
  },
};

export const spentDay: Scenario = {
  name: 'the day has few calls left',
  alerts: { WeirBudgetNearlyGone: 20 * minute },
  breakIt: async ({ deposit }) => {
    await deposit(1_000);
    return undefined;
  },
};

export const lockedDecisions: Scenario = {
  name: 'the risk API takes no question, and a session holds the table of decisions locked',
  alerts: {
    WeirScreeningNearDeadline: 8 * minute,
    WeirScreeningPastDeadline: 11 * minute,
    WeirReviewNotApplied: 1 * minute,
    WeirNoDecisions: 15 * minute,
  },
  lasting: { WeirScreeningsStuck: 14 * minute },
  afterwards: { WeirDecisionsLate: 7 * minute },
  breakIt: async ({ upstream, usual, withdraw, hold, deposit, allow, lock, until }) => {
    const { screening } = await hold();
    upstream.answer(() => ({ instead: { on: 'create', status: 503, body: '{}' } }));
    await deposit(1);
    for (let n = 0; n < 25; n += 1) await withdraw(address('a', n));
    await until('withdrawals without a decision', `SELECT FROM decision.screenings WHERE revision = 0 AND kind = 'withdrawal' OFFSET 24`);
    const unlock = await lock('decision.screenings');
    await allow(screening);
    return async () => {
      await unlock();
      upstream.answer(usual);
    };
  },
};
