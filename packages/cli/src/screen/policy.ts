import { keptPolicy, policyInForce } from '@weir/decision';
import { asOwner, takesGiven } from '@weir/installation';
import { loadPolicy, type Policy, parsePolicy } from '@weir/policy';
import { connectToRunning, type Pool } from '@weir/postgres';
import { lineOf } from '../failure.ts';
import { note } from '../output.ts';
import type { AllSettings } from '../settings.ts';

/** The policy file; without one the policy in force of the installation, where its database runs, else the default. */
export async function policyFor(settings: AllSettings, isFolderNamed: boolean): Promise<Policy> {
  const { policyFile, databaseUrl, dataDir } = settings;
  const url = takesGiven({ ...settings, isFolderNamed }) ? databaseUrl : connectToRunning(dataDir);
  const text = policyFile !== '' || url === undefined ? undefined : await textInForce(url);
  return text === undefined ? loadPolicy(policyFile) : parsePolicy(text);
}

async function textInForce(url: string): Promise<string | undefined> {
  try {
    return await asOwner(url, readInForce);
  } catch (error) {
    note(`weir: judged by the default policy, because the one in force could not be read: ${lineOf(error)}`);
    return undefined;
  }
}

async function readInForce(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ exists: boolean }>("SELECT to_regclass('decision.policy_changes') IS NOT NULL AS exists");
  const inForce = rows[0]?.exists === true ? await policyInForce(pool) : undefined;
  return inForce && (await keptPolicy(pool, inForce.active))?.text;
}
