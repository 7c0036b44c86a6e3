import { systemClock } from '@weir/clock';
import { Codec, topicSpecs, topics } from '@weir/contracts';
import { applyTopics, type TopicChange } from '@weir/event-log/kafka';
import { ConfigError, kafkaTier, registrySchemaIds } from '@weir/service-kit';
import { loadSettings } from '../settings.ts';
import { note, print, printJson, table } from '../output.ts';
import { wantedTopics } from './topic-configs.ts';

interface ApplyFlags {
  readonly dryRun?: true;
  readonly replicationFactor: number;
  readonly json?: true;
}

export async function runApply(flags: ApplyFlags): Promise<void> {
  const tier = kafkaTier(loadSettings({}));
  if (tier === undefined) throw new ConfigError('setting KAFKA_BROKERS is not set: it names the Kafka to make topics in');
  const dryRun = flags.dryRun === true;
  const changes = await applyTopics((replication) => wantedTopics(topicSpecs, replication), {
    connection: tier.kafka,
    clock: systemClock,
    replicationFactor: flags.replicationFactor,
    dryRun,
  });
  // Opening the codec registers every schema, or names the one that the registry rejects.
  if (!dryRun) await Codec.open(registrySchemaIds(tier.registry));
  const count = changes.filter(({ action }) => action !== 'none').length;
  if (flags.json) await printJson({ applied: !dryRun, changes });
  else await print(table(['STATE', 'TOPIC', 'PARTITIONS', 'CONFIGURATION'], changes.map(rowOf)));
  if (dryRun && count > 0) process.exitCode = 1;
  note(messageOf(count, dryRun));
}

function messageOf(count: number, dryRun: boolean): string {
  const what = `${count} topic${count === 1 ? '' : 's'}`;
  if (dryRun) return count === 0 ? 'Nothing would change.' : `${what} would be made or changed.`;
  return `${count === 0 ? 'All topics were as they should be' : `Made or changed ${what}`}; ${topics.length} schemas are registered.`;
}

function rowOf({ topic, action, partitions, config }: TopicChange): string[] {
  const word = { create: 'new', change: 'differs', none: 'ok' }[action];
  const count = partitions.from === partitions.to || action === 'create' ? `${partitions.to}` : `${partitions.from} → ${partitions.to}`;
  const settings = config.map(({ name, from, to }) => (from === '' ? `${name}=${to}` : `${name}=${from} → ${to}`));
  return [word, topic, count, settings.join(' ')];
}
