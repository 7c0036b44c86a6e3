import { systemClock } from '@weir/clock';
import { topicAcls } from '@weir/contracts';
import { applyAcls } from '@weir/event-log/kafka';
import { ConfigError, kafkaTier } from '@weir/service-kit';
import { loadSettings } from '../settings.ts';
import { note, print, printJson } from '../output.ts';

interface AclFlags {
  readonly dryRun?: true;
  readonly json?: true;
}

export async function runAcls(flags: AclFlags): Promise<void> {
  const tier = kafkaTier(loadSettings({}));
  if (tier === undefined) throw new ConfigError('setting KAFKA_BROKERS is not set: it names the Kafka to set permissions on');
  const wanted = topicAcls.map(({ user, ...acl }) => ({ ...acl, principal: `User:${user}` }));
  const dryRun = flags.dryRun === true;
  const changes = await applyAcls(wanted, { connection: tier.kafka, clock: systemClock, dryRun });
  if (flags.json) await printJson({ applied: !dryRun, ...changes });
  else {
    for (const line of changes.added) await print(`+ ${line}\n`);
    for (const line of changes.removed) await print(`- ${line}\n`);
  }
  const count = changes.added.length + changes.removed.length;
  if (dryRun && count > 0) process.exitCode = 1;
  note(`${wanted.length} permissions; ${count} ${dryRun ? 'would be' : 'were'} added or removed.`);
}
