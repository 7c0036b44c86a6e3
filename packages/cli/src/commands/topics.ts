import type { Command } from 'commander';
import { jsonOption, wholeNumber } from '../flags.ts';

export function addTopics(program: Command): void {
  const topics = program.command('topics').description('the topics on Kafka, as the contracts say: apply, acls');
  topics
    .command('apply')
    .description('make topics on Kafka and register their schemas: partitions, retention, least copies')
    .option('--dry-run', 'only say what would be done; exit code 1 when that is anything')
    .option('--replication-factor <copies>', 'copies of new topics; at most as many as there are brokers', wholeNumber(1, 100), 3)
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
    .action(async (flags) => (await import('../topics/run.ts')).runApply(flags));
  topics
    .command('acls')
    .description('give the Kafka user of each service the permissions that it needs, and take away all others')
    .option('--dry-run', 'only say what would be done; exit code 1 when that is anything')
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
    .action(async (flags) => (await import('../topics/acls.ts')).runAcls(flags));
}
