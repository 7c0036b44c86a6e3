import type { Measured } from './decisions.ts';
import { type Kind, usageOfTree } from './processes.ts';
import { type EmbeddedSystem, untilSettled } from './system.ts';

/** A measurement with Weir's CPU time, the console and the audit log included. */
export interface Costed extends Measured {
  /** Milliseconds for each decision. */
  readonly cpuMs: Readonly<Record<'weir' | 'postgres', number>>;
}

export async function withCpu(system: EmbeddedSystem, measure: () => Promise<Measured>): Promise<Costed> {
  const before = usageOfTree(system.pid);
  const measured = await measure();
  await untilSettled(system);
  const after = usageOfTree(system.pid);
  const spent = (kind: Kind): number => (1_000 * (after[kind].cpuSeconds - before[kind].cpuSeconds)) / measured.count;
  return { ...measured, cpuMs: { weir: spent('weir'), postgres: spent('postgres') } };
}
