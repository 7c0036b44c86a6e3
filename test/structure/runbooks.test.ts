import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createProgram } from '../../packages/cli/src/program.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'docs', 'runbooks');
const pages = readdirSync(folder).filter((name) => name !== 'README.md');
const read = (page: string): string => readFileSync(join(folder, page), 'utf8');

interface Rule {
  readonly alert?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
const { groups } = parse(readFileSync(join(root, 'deploy', 'prometheus', 'rules.yml'), 'utf8')) as { groups: { rules: Rule[] }[] };
const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);

/** Each `weir …` of a text, in code: its words without quotes. Words in capitals stand for a value. */
function commandsIn(text: string): string[][] {
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.split('\n'));
  const spans = [...text.replaceAll(/```.*?```/gs, '').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  return [...blocks, ...spans].flatMap((line) => {
    const [, command] = /^(?:npx )?weir (.+)$/.exec(line.trim()) ?? [];
    return command === undefined ? [] : [command.split(' ')];
  });
}

/** The problem of a command line, or undefined: an unknown command or option, a choice that there is not, too many arguments. */
function problemOf(words: readonly string[]): string | undefined {
  let command: ReturnType<typeof createProgram> = createProgram();
  const rest = [...words];
  for (;;) {
    const next = command.commands.find((each) => each.name() === rest[0]);
    if (next === undefined) break;
    command = next;
    rest.shift();
  }
  if (command.commands.length > 0) return `there is no command ${words.join(' ')}`;
  let args = 0;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('--')) {
      args += 1;
      continue;
    }
    const option = command.options.find(({ long }) => long === word);
    if (option === undefined) return `${command.name()} has no option ${word}`;
    const value = option.required ? rest.shift() : undefined;
    if (option.required && value === undefined) return `${word} lacks its value`;
    if (option.argChoices !== undefined && value !== undefined && !option.argChoices.includes(value)) return `${word} cannot be ${value}`;
  }
  const last = command.registeredArguments.at(-1);
  return last?.variadic !== true && args > command.registeredArguments.length ? `${command.name()} takes fewer arguments` : undefined;
}

test('each alert names its page, and each page is the page of an alert', () => {
  const url = /^\{\{ or \$externalLabels\.handbook "docs" \}\}\/runbooks\/(\w+)\.md$/;
  for (const { alert, annotations } of alerts) expect(url.exec(annotations?.['runbook_url'] ?? '')?.[1], alert).toBe(alert);
  const names = [...new Set(alerts.map(({ alert }) => `${alert}.md`))];
  expect([...pages].sort()).toEqual(names.sort());
  for (const page of pages) expect(read('README.md')).toContain(`(${page})`);
});

test.each(pages)('%s has meaning, impact, diagnosis with commands, and mitigation', (page) => {
  const text = read(page);
  expect(text.split('\n')[0]).toBe(`# ${page.replace('.md', '')}`);
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(['Meaning', 'Impact', 'Diagnosis', 'Mitigation']);
  expect(/^## Diagnosis$.*^```sh$.*^## Mitigation$/ms.test(text)).toBe(true);
});

test.each(pages)('the command line has each command and option of %s', (page) => {
  expect(commandsIn(read(page)).flatMap((words) => problemOf(words) ?? [])).toEqual([]);
});

test('each command in an alert is one of the command line', () => {
  const texts = alerts.flatMap(({ annotations }) => Object.values(annotations ?? {}));
  // A template stands for a name.
  const plain = texts.map((text) => text.replaceAll(/\{\{[^}]*\}\}/g, 'NAME'));
  const commands = plain.flatMap(commandsIn);
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.flatMap((words) => problemOf(words) ?? [])).toEqual([]);
});

test.each<[string, string]>([
  ['dlq lost', 'there is no command dlq lost'],
  ['dlq list --every', 'list has no option --every'],
  ['webhooks list --state open', '--state cannot be open'],
  ['payments list --limit', '--limit lacks its value'],
  ['dlq show a 1 2', 'show takes fewer arguments'],
])('a command that there is not is found: %s', (line, problem) => {
  expect(commandsIn(`Try \`npx weir ${line}\``).map(problemOf)).toEqual([problem]);
});
