import { existsSync } from 'node:fs';
import { decisionMigrations, keptPolicy, policyInForce } from '@weir/decision';
import { type Policy, PolicyError, parsePolicy, readPolicy } from '@weir/policy';
import { migrate, type Pool } from '@weir/postgres';
import type { OpenPipeline } from '@weir/service-kit';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note } from '../output.ts';
import type { AllSettings } from '../settings.ts';
import { problemText } from './problems.ts';

/** Opens the installation with decision's migrations applied. */
export function withDecisions<T>(flags: PlaceFlags, work: (pipeline: OpenPipeline, settings: AllSettings) => Promise<T>): Promise<T> {
  return withInstallation(flags, async (pipeline, settings) => {
    await migrate(pipeline.pool, 'decision', decisionMigrations);
    return work(pipeline, settings);
  });
}

/** Whether the name needs the database: a kept version, or the policy in force. */
export function isKept(name: string): boolean {
  return name !== 'default' && !existsSync(name) && (name === 'active' || name === 'shadow' || /^[0-9a-f]{6,64}$/.test(name));
}

/** The text of a policy: a file, `default`, `active`, `shadow`, or a kept version by its hash. The last three need a pool. */
export async function textOf(name: string, pool?: Pool): Promise<string> {
  if (name === '') throw new UsageError('name the policy');
  if (pool !== undefined && isKept(name)) {
    const inForce = await policyInForce(pool);
    const hash = name === 'active' ? inForce?.active : name === 'shadow' ? (inForce?.shadow ?? undefined) : name;
    if (hash === undefined) throw new Error(name === 'active' ? 'no policy is in force yet: start Weir once' : 'no candidate runs');
    const kept = await keptPolicy(pool, hash);
    if (kept === undefined) throw new Error(`no policy with the hash ${name} was kept, or several begin so; "weir policy list" shows them`);
    return kept.text;
  }
  return readPolicy(name === 'default' && !existsSync(name) ? '' : name);
}

/** The policy. Writes every problem to stderr, and fails. */
export function parseNamed(name: string, text: string): Policy {
  try {
    return parsePolicy(text);
  } catch (error) {
    if (!(error instanceof PolicyError) || error.problems.length === 0) throw error;
    for (const problem of error.problems) note(problemText(name, text, problem));
    const count = error.problems.length;
    throw new Error(`${name} cannot be used: ${count === 1 ? 'one thing is' : `${count} things are`} wrong with it`, { cause: error });
  }
}
