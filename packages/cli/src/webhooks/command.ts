import { type Command, Option } from 'commander';
import { jsonOption, wholeNumber, withDataDir } from '../flags.ts';

const place =
  'WEIR_TOKEN holds your own token; retry needs one of the role admin. WEIR_CONSOLE_URL says where the console is, else the Weir of the data folder.';
/** Repeats the console's states, because help must not load it. */
const states = ['pending', 'delivered', 'failed'];

export function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('decisions that are posted to WEIR_WEBHOOK_URL: list, show, retry, off');
  const list = webhooks
    .command('list')
    .description('list the delivery log, newest first')
    .addOption(new Option('--state <state>', 'only in this state').choices(states))
    .addOption(new Option('--limit <n>', 'maximum number of rows').argParser(wholeNumber(1, 1_000_000)).default(100))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
pending: to be sent, or sent again. failed: given up after the last attempt.
${place}

Examples:
  $ weir webhooks list --state failed
  $ weir webhooks list --limit 1000 --json | jq 'group_by(.last_error)[] | {error: .[0].last_error, count: length}'`,
    );
  withDataDir(list).action(async (flags) => (await import('./list.ts')).listDeliveries(flags));
  const show = webhooks
    .command('show')
    .description('show one, with what is sent')
    .argument('<event-id>', 'the webhook-id')
    .addOption(jsonOption())
    .addHelpText('after', `\n${place}\n\nExamples:\n  $ weir webhooks show 5d2bd5f8-7f0c-5f0e-9a55-3a8f2a6c1b11`);
  withDataDir(show).action(async (id, flags) => (await import('./show.ts')).showDelivery(id, flags));
  const retry = webhooks
    .command('retry')
    .description('send again, now and with all attempts; also what was delivered')
    .argument('[event-id...]', 'the webhook-ids')
    .option('--failed', 'all failed ones, the oldest first')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
A receiver that has answered 410 Gone is asked again after this.
${place}

Examples:
  $ weir webhooks retry 5d2bd5f8-7f0c-5f0e-9a55-3a8f2a6c1b11
  $ weir webhooks retry --failed`,
    );
  withDataDir(retry).action(async (ids, flags) => (await import('./retry.ts')).retryDeliveries(ids, flags));
  const off = webhooks
    .command('off')
    .description('switch webhooks off for good, so that the log no longer keeps decisions for them')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
Unset WEIR_WEBHOOK_URL and restart the console first. Switched on again, webhooks begin as at their first start. On a DATABASE_URL this takes its owner.

Examples:
  $ weir webhooks off
  $ weir webhooks off --data-dir .weir --yes`,
    );
  withDataDir(off).action(async (flags) => (await import('./off.ts')).switchOff(flags));
}
