import { day, minute, type Scenario } from '../scenario.ts';
import { address } from '../address.ts';

export const forgottenReview: Scenario = {
  name: 'nobody looks at a held withdrawal',
  alerts: { WeirHeldForADay: day },
  breakIt: async ({ hold, allow }) => {
    const { screening } = await hold();
    return () => allow(screening);
  },
};

export const overtakenPermit: Scenario = {
  name: 'a withdrawal has left, and its receiver turns out to be a thief',
  alerts: { WeirPermitOvertaken: 5 * minute },
  breakIt: async ({ upstream, scripts, installation, ask, withdraw, untilSo }) => {
    const receiver = address('8', 1);
    const { id } = await withdraw(receiver);
    const gate = installation.token('gate');
    let permit: string | undefined;
    await untilSo('a permit', async () => {
      permit = (await ask(gate, 'GET', `/v1/withdrawals/${id}`)).body.permit;
      return permit !== undefined;
    });
    await ask(gate, 'POST', '/v1/permits/redeem', { permit, chain: 'ethereum', coin: 'ETH', to_address: receiver, amount: '1' });
    scripts.set(receiver, { data: { score: 100, risk_level: 'Severe', detail_list: ['Malicious Address'] } });
    upstream.change({ subject: receiver, direction: 'withdraw' });
    return undefined;
  },
};

export const endlessRescreen: Scenario = {
  name: 'the risk API computes a changed score for ever',
  alerts: { WeirRescreenWaits: day },
  breakIt: async ({ upstream, scripts, withdraw, until }) => {
    const receiver = address('6', 1);
    const { screening } = await withdraw(receiver);
    await until('the decision', `SELECT FROM decision.screenings WHERE screening_id = '${screening}' AND action = 'allow'`);
    const script = { running: Number.POSITIVE_INFINITY };
    scripts.set(receiver, script);
    upstream.change({ subject: receiver, direction: 'withdraw' });
    return async () => {
      script.running = 0;
    };
  },
};

export const lockedGate: Scenario = {
  name: 'a session holds the table of the gate locked',
  alerts: { WeirGateBehind: 2 * minute },
  breakIt: async ({ hold, allow, lock }) => {
    const { screening } = await hold();
    const unlock = await lock('gate.withdrawals');
    await allow(screening);
    return unlock;
  },
};
