import { type Command, InvalidArgumentError, Option } from 'commander';

/** The risk API listens on port + 100. */
export const highestPort = 65_435;

export interface PlaceFlags {
  dataDir?: string;
}

/** `--data-dir`, the same for every command on an installation. */
export function withDataDir(command: Command): Command {
  return command.option(
    '--data-dir <folder>',
    'embedded installation, running or not (default: WEIR_DATA_DIR, else .weir; DATABASE_URL goes before)',
  );
}

/** Help of commands that ask the console. */
export const consolePlace =
  'WEIR_TOKEN holds your own token. WEIR_CONSOLE_URL says where the console is, else the Weir of the data folder.';

export function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}

/** For commander: a whole number of at least `minimum`; otherwise usage error, exit code 2. */
export function wholeNumber(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(
      `It must be a whole number from ${minimum}${maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : ''}.`,
    );
  };
}

/** For commander: a time in RFC 3339. */
export function parseTime(text: string): Date {
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a time such as 2031-01-31T00:00:00Z.');
  return new Date(time);
}

/** Of commands that write CSV. */
export const keepFormulas =
  "csv: leave cells that begin with = + - @ as they are (default: a ' before them, so that no spreadsheet runs them)";
