import { type Command, Option } from 'commander';
import { jsonOption, wholeNumber, withDataDir } from '../flags.ts';

export function addTopics(program: Command): void {
  const topics = program
    .command('topics')
    .description('the topics of the log: apply, acls (on Kafka, as the contracts say), rebuild, resume');
  addApply(topics);
  addAcls(topics);
  addRebuild(topics);
  addResume(topics);
}

function addApply(topics: Command): void {
  topics
    .command('apply')
    .description('make topics on Kafka and register their schemas: partitions, retention, least copies')
    .option('--dry-run', 'only print the changes; exit code 1 if there are any')
    .option('--replication-factor <copies>', 'replication factor of new topics; at most the number of brokers', wholeNumber(1, 100), 3)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Asks the Kafka of KAFKA_BROKERS and the registry of SCHEMA_REGISTRY_URL. Creates what is missing, adds partitions and sets the configuration
that the contracts name; takes no partition away, deletes nothing. To be run before services of a new version start; the same again changes nothing.

Examples:
  $ KAFKA_BROKERS=kafka:9092 SCHEMA_REGISTRY_URL=http://registry:8081 weir topics apply
  $ weir topics apply --dry-run --json`,
    )
    .action(async (flags) => (await import('./run.ts')).runApply(flags));
}

function addAcls(topics: Command): void {
  topics
    .command('acls')
    .description('give the Kafka user of each service the permissions that it needs, and take away all others')
    .option('--dry-run', 'only print the changes; exit code 1 if there are any')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Asks the Kafka of KAFKA_BROKERS, whose authorizer must refuse what no ACL allows. The users are those of docs/security.md: deposit-ingest,
withdrawal-gate, scoring, decision, audit-writer, console, operator. ACLs of other users are left alone; the same again changes nothing.

Examples:
  $ weir topics acls --dry-run
  $ KAFKA_SASL_USERNAME=admin weir topics acls --json`,
    )
    .action(async (flags) => (await import('./acls.ts')).runAcls(flags));
}

function addRebuild(topics: Command): void {
  const rebuild = topics
    .command('rebuild')
    .description('publish again what is stored of the records that a group has lost at a gap')
    .argument('<group>', 'the consumer group')
    .option('--topic <topic>', 'only this topic')
    .option('--yes', 'do not ask for confirmation')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Takes the records from the audit log and from the outbox, and what neither has from the tables of the services: requests of transfers that are
not decided, for one. docs/decisions/0027-gaps-stop-a-partition.md lists the sources of each topic. Events keep their ids, so readers pass over
those that they have dealt with, and the same again does no harm. It may run before or after "weir topics resume", which stores the offsets.

Examples:
  $ weir topics rebuild scoring --topic screenings.requested
  $ weir topics rebuild decision --yes --json`,
    );
  withDataDir(rebuild).action(async (group, flags) => (await import('./rebuild.ts')).runRebuild(group, flags));
}

function addResume(topics: Command): void {
  const resume = topics
    .command('resume')
    .description('let a group read on that has stopped at a gap: records are gone that it had yet to read')
    .argument('<group>', 'the consumer group')
    .option('--topic <topic>', 'only of this topic')
    .addOption(
      new Option('--from <place>', 'where it goes on: at the earliest record there is').choices(['earliest']).makeOptionMandatory(),
    )
    .option('--yes', 'do not ask for confirmation')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The records that are gone stay gone. "weir topics rebuild" publishes again what is stored of them, before or after. "weir doctor" names the gaps.
On Kafka the group's service must be stopped; on PostgreSQL it goes on while it runs.

Examples:
  $ weir topics resume scoring --topic screenings.requested --from earliest
  $ weir topics resume audit-writer --from earliest --yes --json`,
    );
  withDataDir(resume).action(async (group, flags) => (await import('./resume.ts')).runResume(group, flags));
}
