import { type Command, Option } from 'commander';
import { highestPort, wholeNumber } from '../flags.ts';

export function addStart(program: Command): void {
  program
    .command('start')
    .description('run everything on this machine: pipeline, risk API, PostgreSQL')
    .addOption(
      new Option(
        '--port <port>',
        'port of pipeline and console; the risk API listens on port + 100 (default: WEIR_PORT, else 4000)',
      ).argParser(wholeNumber(0, highestPort)),
    )
    .option('--data-dir <folder>', 'where the data lives (default: WEIR_DATA_DIR, else .weir)')
    .addOption(
      new Option(
        '--processes <n>',
        'processes that share the work; further ones listen on port + 1 and so on (default: WEIR_PROCESSES, else 1)',
      ).argParser(wholeNumber(1)),
    )
    .option('--no-sample', 'start without the sample')
    .addHelpText(
      'after',
      '\nExamples:\n  $ npm start\n  $ npm start -- --port 4200 --data-dir /var/lib/weir --no-sample\n  $ npm start -- --processes 4',
    )
    .action(async (flags) => (await import('./run.ts')).start(flags));
}
