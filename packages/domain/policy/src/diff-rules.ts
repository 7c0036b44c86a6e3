import { toWindow, windowKey } from './history.ts';
import type { Policy } from './policy.ts';
import type { Rule } from './rules.ts';

export interface PolicyChange {
  /** Transfers of a kind, a rule or a window. */
  readonly about: string;
  /** Null: absent. */
  readonly from: string | null;
  readonly to: string | null;
  readonly text: string;
}

export function diffRules(before: Policy, after: Policy): PolicyChange[] {
  return [
    ...diffWindows(before, after),
    ...diffEach(before.rules ?? [], after.rules ?? []),
    ...moved(before.rules ?? [], after.rules ?? []),
  ];
}

function diffWindows(before: Policy, after: Policy): PolicyChange[] {
  const [old, now] = [before.history ?? {}, after.history ?? {}];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((name): PolicyChange[] => {
    const [from, to] = [old[name], now[name]].map((window) => (window === undefined ? null : windowWords(window)));
    const same = old[name] !== undefined && now[name] !== undefined && windowKey(toWindow(old[name])) === windowKey(toWindow(now[name]));
    return same || from === undefined || to === undefined ? [] : [changeOf(`Window ${name}`, from, to)];
  });
}

/** What a window counts. */
export function windowWords(window: NonNullable<Policy['history']>[string]): string {
  const what = window.kind === undefined ? 'transfers' : `${window.kind}s`;
  return `${what} of the same user${window.of === 'user' ? '' : ' and counterparty'} in ${window.window}`;
}

function diffEach(before: readonly Rule[], after: readonly Rule[]): PolicyChange[] {
  const find = (rules: readonly Rule[], name: string): Rule | undefined => rules.find((rule) => rule.name === name);
  return [...new Set([...before, ...after].map(({ name }) => name))].flatMap((name): PolicyChange[] => {
    const [old, now] = [find(before, name), find(after, name)];
    const [from, to] = [old, now].map((rule) => (rule === undefined ? null : ruleWords(rule)));
    if (from === undefined || to === undefined) return [];
    if (from !== to) return [changeOf(`Rule ${name}`, from, to)];
    // Blanks in quotes, and a line end after a comment, change the meaning.
    return old === undefined || now === undefined || old.when.trim() === now.when.trim()
      ? []
      : [changeOf(`Rule ${name}`, JSON.stringify(old.when), JSON.stringify(now.when))];
  });
}

function ruleWords({ action, when, may_relax }: Rule): string {
  return `${action} when ${when.trim().replaceAll(/\s+/g, ' ')}${may_relax === true ? ' (may relax)' : ''}`;
}

function changeOf(about: string, from: string | null, to: string | null): PolicyChange {
  const text = from === null ? `${about} added: ${to}` : to === null ? `${about} removed: ${from}` : `${about} changed: ${from} → ${to}`;
  return { about, from, to, text };
}

/** As few as explain the new order. */
function moved(before: readonly Rule[], after: readonly Rule[]): PolicyChange[] {
  const old = before.map(({ name }) => name).filter((name) => after.some((rule) => rule.name === name));
  const now = after.map(({ name }) => name).filter((name) => old.includes(name));
  const stayed = new Set(longestRising(now.map((name) => old.indexOf(name))).map((at) => old[at]));
  return now.flatMap((name, at): PolicyChange[] => {
    if (stayed.has(name)) return [];
    const next = now[at + 1];
    const to = next === undefined ? 'last' : `before ${next}`;
    const [was, from] = [old[old.indexOf(name) + 1], old.indexOf(name) + 1];
    return [
      {
        about: `Rule ${name}`,
        from: was === undefined ? 'last' : `before ${was}`,
        to,
        text: `Rule ${name} moved: from place ${from} to ${to}`,
      },
    ];
  });
}

function longestRising(numbers: readonly number[]): number[] {
  let best: number[] = [];
  const endingAt: number[][] = [];
  for (const [at, value] of numbers.entries()) {
    const before = endingAt.slice(0, at).filter((run) => (run.at(-1) ?? -1) < value);
    const run = [...before.reduce((a, b) => (b.length > a.length ? b : a), []), value];
    endingAt.push(run);
    if (run.length > best.length) best = run;
  }
  return best;
}
