import { generateKeyPairSync } from 'node:crypto';
import { screeningId } from '@weir/contracts';
import { publishTo } from '@weir/service-kit/testing';
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
