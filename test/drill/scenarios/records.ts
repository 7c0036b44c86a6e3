import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { screeningId } from '@weir/contracts';
import { publishTo } from '@weir/service-kit/testing';
import { address } from '../address.ts';
import { repeat } from '../repeat.ts';
import { minute, type Scenario } from '../scenario.ts';

export const noRecord: Scenario = {
  name: 'a writer publishes what is no record',
  alerts: { WeirDeadLetters: 15 * minute },
  breakIt: async ({ inDatabase }) => {
    await inDatabase((pipeline) => publishTo(pipeline, 'deposits.detected', Buffer.from('no record')));
    return undefined;
  },
};

export const forgedResolution: Scenario = {
  name: 'somebody forges the resolution of a review',
  alerts: { WeirResolutionRefused: 5 * minute },
  breakIt: async ({ inDatabase }) => {
    const at = Date.now();
    const resolution = {
      screening_id: screeningId('withdrawal', 'drill'),
      revision: 1,
      action: 'allow' as const,
      reviewer: 'reviewer:0000000000000000',
      approver: 'approver:1111111111111111',
      reason: 'It is ours.',
      resolved_at: at,
      resolution_id: screeningId('withdrawal', 'a resolution of nobody'),
      approved_at: at,
    };
    await inDatabase((pipeline) => publishTo(pipeline, 'reviews.resolved', resolution));
    return undefined;
  },
};

export const forgedEvent: Scenario = {
  name: 'somebody publishes an event under the id of another',
  alerts: { WeirAuditConflict: 5 * minute },
  breakIt: async ({ inDatabase }) => {
    await inDatabase(async ({ log }) => {
      const [known] = await log.read('screenings.decided', 0, 0n, 1);
      if (known === undefined) throw new Error('nothing was decided');
      await log.publish([{ ...known, value: Buffer.from('another decision') }]);
    });
    return undefined;
  },
};

export const forgedKey: Scenario = {
  name: 'somebody inserts a permit key',
  alerts: { WeirPermitKeyForged: 5 * minute },
  breakIt: async ({ inDatabase }) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const [jwk, secret] = [publicKey, privateKey].map((key) => ({
      ...key.export({ format: 'jwk' }),
      alg: 'EdDSA',
      use: 'sig',
      kid: 'drill',
    }));
    await inDatabase(({ pool }) =>
      pool.query('INSERT INTO gate.keys (kid, public_jwk, private_key, signs_from) VALUES ($1, $2, $3, now())', [
        'drill',
        jwk,
        JSON.stringify(secret),
      ]),
    );
    return () => inDatabase(({ pool }) => pool.query(`DELETE FROM gate.keys WHERE kid = 'drill'`));
  },
};

export const refusedJob: Scenario = {
  name: 'the database refuses a job of the console',
  alerts: { WeirJobFailing: 15 * minute },
  breakIt: async ({ inDatabase }) => {
    await inDatabase(({ pool }) =>
      pool.query(`CREATE FUNCTION public.drill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused by the drill'; END $$;
        CREATE TRIGGER drill BEFORE UPDATE ON console.cases FOR EACH STATEMENT EXECUTE FUNCTION public.drill()`),
    );
    return () => inDatabase(({ pool }) => pool.query('DROP TRIGGER drill ON console.cases; DROP FUNCTION public.drill'));
  },
};

export const refusedScores: Scenario = {
  name: 'the database refuses new scores of the risk API',
  alerts: { WeirRiskApiFails: 10 * minute },
  breakIt: async ({ inDatabase, installation: { dataDir, riskUrl } }) => {
    await inDatabase(({ pool }) =>
      pool.query(`CREATE FUNCTION public.drill_scores() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused by the drill'; END $$;
        CREATE TRIGGER drill BEFORE INSERT ON risk.runs FOR EACH ROW EXECUTE FUNCTION public.drill_scores()`),
    );
    const key = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8')).standard_api_key as string;
    const score = async (count: number): Promise<unknown> =>
      (await fetch(`${riskUrl}/v2/risk_score?coin=ETH&address=${address('4', count)}`, { headers: { 'x-api-key': key } })).text();
    const endCalls = repeat(250, score);
    return async () => {
      await endCalls();
      await inDatabase(({ pool }) => pool.query('DROP TRIGGER drill ON risk.runs; DROP FUNCTION public.drill_scores'));
    };
  },
};
