import { type Command, Option } from 'commander';
import { wholeNumber, withDataDir } from '../flags.ts';

export function addMcp(program: Command): void {
  const command = program
    .command('mcp')
    .description('serve the Model Context Protocol to an assistant: look up, explain, list what waits, draft a case summary')
    .addOption(
      new Option('--port <port>', 'serve Streamable HTTP at /mcp of this port (default: stdin and stdout)').argParser(
        wholeNumber(0, 65_535),
      ),
    )
    .addOption(new Option('--host <address>', 'address to listen on; loopback unless told otherwise').default('127.0.0.1'))
    .option('--allow-origin <origin...>', 'web pages that may call it over HTTP, such as https://assistant.example')
    .addHelpText(
      'after',
      `
Over stdin and stdout it acts with WEIR_TOKEN. Without a token it only reads, as the auditor of the data folder's dev-credentials.json.
Over HTTP each request brings its own token: Authorization: Bearer …, as for the console.
The role of the token says which tools there are. auditor reads. reviewer, approver and admin may also add notes, assign, and set due times.
No tool resolves or approves a review. WEIR_CONSOLE_URL says where the console is, else the Weir of the data folder.

Examples:
  $ weir mcp
  $ weir mcp --data-dir .weir
  $ weir mcp --port 4200`,
    );
  withDataDir(command).action(async (flags) => (await import('./run.ts')).runMcp(flags));
}
