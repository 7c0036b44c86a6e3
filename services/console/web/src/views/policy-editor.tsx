import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, useEffect, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { usePolicyChange } from '../api/changes.ts';
import { policies, policy, policyCheck, session } from '../api/queries.ts';
import { request } from '../api/request.ts';
import type { BacktestView } from '../api/types.ts';
import { ActButton } from '../parts/act-button.tsx';
import { Section } from '../parts/basics.tsx';
import { useDraft } from '../parts/draft.ts';
import { Choice } from '../parts/fields.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { LazyPart, Loaded, Problem } from '../parts/states.tsx';
import { focusHeading } from '../parts/view.ts';
import { words } from '../words/en.ts';
import { dayMs } from '../words/format.ts';
import { ActionMatrix } from './action-matrix.tsx';
import { Changes } from './policy-changes.tsx';
import type { PolicyTextHandle } from './policy-text.tsx';

const { policy: text } = words;
/** With a library for editors, which readers of the policy do without. */
const PolicyText = lazy(() => import('./policy-text.tsx'));
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
  const { data: who } = useQuery(session);
  const { text: written, keep, forget } = useDraft(`policy ${who?.name ?? ''}`);
  const draft = written ?? start;
  // The editor has its text by itself once it has begun. Another `time` is another editor.
  const [begun, begin] = useState({ text: draft, of: start, time: 0 });
  const beginAgain = (): void => begin({ text: start, of: start, time: begun.time + 1 });
  // Another policy is in force now. The text that a person has written stays.
  if (start !== begun.of && written === undefined) beginAgain();
  // The text stays in view, also one that an earlier view began.
  const onProposed = (): void => {
    keep(draft);
    forget();
  };
  const settled = useSettled(draft);
  const check = useQuery(policyCheck(settled));
  const editor = useRef<PolicyTextHandle>(null);
  const isChecked = draft === settled && check.data !== undefined && !check.isPlaceholderData;
  const usable = isChecked && check.data.policy_hash !== null;
  return (
    <>
      <p className="field-label">
        {text.draft} <span className="muted">{text.completes}</span>{' '}
        {written !== undefined && (
          <Button
            className="small"
            onPress={() => {
              keep(undefined);
              beginAgain();
              focusHeading();
            }}
          >
            {text.discard}
          </Button>
        )}
      </p>
      <LazyPart>
        <PolicyText
          key={begun.time}
          ref={editor}
          start={begun.text}
          problems={isChecked ? check.data.problems : undefined}
          onChange={(next) => keep(next === start ? undefined : next)}
        />
      </LazyPart>
      <p role="status" className="muted">
        {check.error !== null
          ? ''
          : !isChecked
            ? text.checking
            : check.data.policy_hash === null
              ? text.problems(check.data.problems.length)
              : text.usable}
      </p>
      {check.error !== null && <Problem text={check.error.message} />}
      {isChecked && check.data.problems.length > 0 && (
        <ul className="problems">
          {check.data.problems.map((problem) => (
            <li key={`${problem.line} ${problem.column} ${problem.message}`}>
              <Button className="small" onPress={() => editor.current?.goTo(problem)}>
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
      <Propose draft={draft} isUsable={usable && check.data.policy_hash !== active} onDone={onProposed} />
      <Backtest draft={draft} isUsable={usable} />
    </>
  );
}

interface ProposeProps {
  readonly draft: string;
  readonly isUsable: boolean;
  readonly onDone: () => void;
}

function Propose({ draft, isUsable, onDone }: ProposeProps) {
  const { data: who } = useQuery(session);
  const { data: kept } = useQuery(policies);
  const propose = usePolicyChange<{ text: string }>('proposals', onDone);
  if (who?.role !== 'reviewer' && who?.role !== 'approver') return null;
  return (
    <ActButton
      act={{ ...propose, isSuccess: propose.isSuccess && kept?.proposal !== null }}
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

/** A backtest is made in so many parts, one after the other. */
const parts = 12;

/** The parts of a time until now, as the API takes them. */
function partsOf(days: number): { since: string; until: string }[] {
  const end = new Date().getTime();
  const from = end - days * dayMs;
  const at = (part: number): string => new Date(from + ((end - from) * part) / parts).toISOString();
  return Array.from({ length: parts }, (_, part) => ({ since: at(part), until: at(part + 1) }));
}

function Backtest({ draft, isUsable }: { readonly draft: string; readonly isUsable: boolean }) {
  const [days, setDays] = useState('7');
  const [done, setDone] = useState(0);
  const test = useMutation({
    mutationFn: async (asked: { readonly draft: string; readonly days: string }) => {
      const found: BacktestView[] = [];
      for (const part of partsOf(Number(asked.days))) {
        found.push(await request<BacktestView>('/v1/policies/backtests', { method: 'POST', body: { text: asked.draft, ...part } }));
        setDone(found.length);
      }
      return { results: found.reduce((sum, { results }) => sum + results, 0), cells: found.flatMap(({ cells }) => cells) };
    },
    onMutate: () => setDone(0),
  });
  // A result of another text or time is none of these.
  const isOfThis = test.variables?.draft === draft && test.variables.days === days;
  return (
    <>
      <h3>{text.backtest}</h3>
      <p className="muted">{text.backtestHint}</p>
      <div className="filters">
        <Choice label={text.time} options={ranges} isRequired value={days} onChange={setDays} />
        <PendingButton isDisabled={!isUsable} isPending={test.isPending} onPress={() => test.mutate({ draft, days })}>
          {test.isPending ? text.running : text.run}
        </PendingButton>
        {test.isPending && <meter min={0} max={parts} value={done} aria-label={text.running} />}
      </div>
      {test.error !== null && <Problem text={test.error.message} />}
      {test.data !== undefined && isOfThis && (
        <>
          <p role="status">{text.results(test.data.results)}</p>
          <ActionMatrix label={text.backtest} cells={test.data.cells} file="backtest" />
        </>
      )}
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
