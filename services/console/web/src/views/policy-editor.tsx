import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button, Label, TextArea, TextField } from 'react-aria-components';
import { usePolicyChange } from '../api/changes.ts';
import { policy, policyCheck, session } from '../api/queries.ts';
import { request } from '../api/request.ts';
import type { BacktestView, PolicyCheckView } from '../api/types.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Section } from '../parts/basics.tsx';
import { Choice } from '../parts/fields.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded, Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { dayMs } from '../words/format.ts';
import { Changes } from './policy-changes.tsx';

const { policy: text } = words;
const typingMs = 400;

/** Starts with the policy in force. Everybody may try; a reviewer or an approver may propose. */
export function PolicyEditor({ active }: { readonly active: string }) {
  const read = useQuery(policy(active));
  return (
    <Section title={text.editor}>
      <p className="muted">{text.editorHint}</p>
      <Loaded read={read} missing={text.unreadable}>
        {(data) => <Editor start={data.text} active={active} />}
      </Loaded>
    </Section>
  );
}

function Editor({ start, active }: { readonly start: string; readonly active: string }) {
  const [draft, setDraft] = useState(start);
  const settled = useSettled(draft);
  const check = useQuery(policyCheck(settled));
  const area = useRef<HTMLTextAreaElement>(null);
  const isChecked = draft === settled && check.data !== undefined && !check.isPlaceholderData;
  const usable = isChecked && check.data.policy_hash !== null;
  const goTo = ({ line, column, length }: PolicyCheckView['problems'][number]): void => {
    const begin =
      draft
        .split('\n')
        .slice(0, line - 1)
        .reduce((sum, each) => sum + each.length + 1, 0) +
      column -
      1;
    area.current?.focus();
    area.current?.setSelectionRange(begin, begin + length);
  };
  return (
    <>
      <TextField className="field" value={draft} onChange={setDraft} maxLength={100_000}>
        <Label>{text.draft}</Label>
        <TextArea ref={area} rows={18} spellCheck="false" className="code" />
      </TextField>
      <p role="status" className="muted">
        {!isChecked ? text.checking : check.data.policy_hash === null ? text.problems(check.data.problems.length) : text.usable}
      </p>
      {check.error !== null && <Problem text={check.error.message} />}
      {isChecked && check.data.problems.length > 0 && (
        <ul className="problems">
          {check.data.problems.map((problem) => (
            <li key={`${problem.line} ${problem.column} ${problem.message}`}>
              <Button className="small" onPress={() => goTo(problem)}>
                {text.at(problem.line, problem.column)}
              </Button>{' '}
              <code>{problem.path}</code> {problem.message} {problem.hint !== undefined && <span className="muted">{problem.hint}</span>}
            </li>
          ))}
        </ul>
      )}
      {usable && check.data.policy_hash !== active && (
        <>
          <h3>{text.differences}</h3>
          <Changes rows={check.data.changes} />
        </>
      )}
      <Propose draft={draft} isUsable={usable && check.data.policy_hash !== active} />
      <Backtest draft={draft} isUsable={usable} />
    </>
  );
}

function Propose({ draft, isUsable }: { readonly draft: string; readonly isUsable: boolean }) {
  const { data: who } = useQuery(session);
  const propose = usePolicyChange<{ text: string }>('proposals');
  if (who?.role !== 'reviewer' && who?.role !== 'approver') return null;
  return (
    <ActButton
      act={propose}
      label={text.propose}
      hint={text.proposeHint}
      done={text.proposed}
      isPrimary
      isDisabled={!isUsable}
      onPress={() => propose.mutate({ text: draft })}
    />
  );
}

const ranges = { 1: text.days(1), 7: text.days(7), 30: text.days(30) } as const;

function Backtest({ draft, isUsable }: { readonly draft: string; readonly isUsable: boolean }) {
  const [days, setDays] = useState('7');
  const test = useMutation({
    mutationFn: () =>
      request<BacktestView>('/v1/policies/backtests', {
        method: 'POST',
        body: { text: draft, since: new Date(new Date().getTime() - Number(days) * dayMs).toISOString() },
      }),
  });
  return (
    <>
      <h3>{text.backtest}</h3>
      <p className="muted">{text.backtestHint}</p>
      <div className="filters">
        <Choice label={text.time} options={ranges} isRequired value={days} onChange={setDays} />
        <Button isDisabled={!isUsable || test.isPending} onPress={() => test.mutate()}>
          {test.isPending ? text.running : text.run}
        </Button>
      </div>
      {test.error !== null && <Problem text={test.error.message} />}
      {test.data !== undefined && <Matrix of={test.data} />}
    </>
  );
}

const actions = ['allow', 'review', 'block'] as const;

function Matrix({ of: { results, cells } }: { readonly of: BacktestView }) {
  const countOf = (was: string, to: string): number => cells.find((cell) => cell.was === was && cell.would_be === to)?.count ?? 0;
  return (
    <>
      <p role="status">{text.results(results)}</p>
      <SmallTable
        label={text.backtest}
        rows={actions}
        keyOf={(was) => was}
        columns={[
          { name: text.was, cell: (was) => words.actions[was] },
          ...actions.map((to) => ({
            name: text.wouldBe(words.actions[to]),
            isNumber: true,
            cell: (was: (typeof actions)[number]) => (
              <span className={was !== to && countOf(was, to) > 0 ? 'differs' : ''}>{countOf(was, to).toLocaleString('en')}</span>
            ),
          })),
        ]}
      />
    </>
  );
}

/** The text once nobody has typed for a moment. */
function useSettled(value: string): string {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const due = window.setTimeout(() => settle(value), typingMs);
    return () => window.clearTimeout(due);
  }, [value]);
  return settled;
}
