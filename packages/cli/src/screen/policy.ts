import { keptPolicy, policyInForce } from '@weir/decision';
import { loadPolicy, type Policy, parsePolicy } from '@weir/policy';
import { connectToRunning, openPool, type Pool } from '@weir/postgres';
import { lineOf } from '../failure.ts';
import { note } from '../output.ts';
import type { AllSettings } from '../settings.ts';

/** The policy file; without one the policy in force of the installation, where its database runs, else the default. */
export async function policyFor({ policyFile, databaseUrl, dataDir }: AllSettings, isFolderNamed: boolean): Promise<Policy> {
  const url = databaseUrl === '' || isFolderNamed ? connectToRunning(dataDir) : databaseUrl;
  const text = policyFile !== '' || url === undefined ? undefined : await textInForce(url);
  return text === undefined ? loadPolicy(policyFile) : parsePolicy(text);
}

async function textInForce(url: string): Promise<string | undefined> {
  const pool = openPool({ url, max: 1 });
  try {
    return await readInForce(pool);
  } catch (error) {
    note(`weir: judged by the default policy, because the one in force could not be read: ${lineOf(error)}`);
    return undefined;
  } finally {
    await pool.end();
  }
}

async function readInForce(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ exists: boolean }>("SELECT to_regclass('decision.policy_changes') IS NOT NULL AS exists");
  const inForce = rows[0]?.exists === true ? await policyInForce(pool) : undefined;
  return inForce && (await keptPolicy(pool, inForce.active))?.text;
}
