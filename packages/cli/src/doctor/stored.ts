import { PoliciesInForce, policyInForce } from '@weir/decision';
import type { Pool } from '@weir/postgres';
import { checkPermitKeys } from '@weir/withdrawal-gate';
import { lineOf } from '../failure.ts';
import type { AllSettings } from '../settings.ts';
import { findPermitKeySecret } from '@weir/installation';
import { type Finding, ok, wrong } from './finding.ts';

/** Stored data that would stop a service at its start. */
export async function examineStored(pool: Pool, settings: AllSettings): Promise<Finding[]> {
  const { rows } = await pool.query<{ decides: boolean; permits: boolean }>(
    `SELECT to_regclass('decision.policy_changes') IS NOT NULL AS decides, to_regclass('gate.keys') IS NOT NULL AS permits`,
  );
  const findings: Finding[] = [];
  if (rows[0]?.decides === true && (await policyInForce(pool)) !== undefined) {
    const inForce = new PoliciesInForce((error) => findings.push(wrong('candidate policy', lineOf(error))));
    findings.push(
      await inForce.look(pool).then(
        ({ active }) => ok('policy in force', `hash ${active.hash.slice(0, 12)}`),
        (error: unknown) => wrong('policy in force', lineOf(error)),
      ),
    );
  }
  const secret = settings.permitKeySecret === '' ? findPermitKeySecret(settings.dataDir) : settings.permitKeySecret;
  if (rows[0]?.permits === true && secret !== undefined)
    findings.push(
      await checkPermitKeys(pool, secret).then(
        () => ok('permit keys', 'authentic'),
        (error: unknown) => wrong('permit keys', lineOf(error)),
      ),
    );
  return findings;
}
