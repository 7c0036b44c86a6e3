import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Link, useSearchParams } from 'react-router';
import { usePolicyChange } from '../api/changes.ts';
import { differences, policies, policy, session } from '../api/queries.ts';
import type { PoliciesView, PolicyProposalView, PolicyView as Policy } from '../api/types.ts';
import { announce, focusAfterAct } from '../parts/announce.tsx';
import { Badge, Facts, Hash, Section, Time } from '../parts/basics.tsx';
import { LongText } from '../parts/fields.tsx';
import { Modal } from '../parts/modal.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Loaded, Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { decimal, isSameName, shortened } from '../words/format.ts';
import { Changes } from './policy-changes.tsx';
import { PolicyEditor } from './policy-editor.tsx';
import { Shadow } from './policy-shadow.tsx';

const { policy: text } = words;

export function PolicyView() {
  const read = useQuery(policies);
  return (
    <>
      <h1>{text.title}</h1>
      <Loaded read={read}>{(data) => <Policies data={data} />}</Loaded>
    </>
  );
}

/** A decision service of an earlier version lists no rejections. */
type ShownPolicies = Omit<PoliciesView, 'rejections'> & Partial<Pick<PoliciesView, 'rejections'>>;

function Policies({ data: { items, proposal, rejections = [] } }: { readonly data: ShownPolicies }) {
  const [given] = useSearchParams();
  const [inForce] = items;
  const [answered, setAnswered] = useState<{ readonly hash: string; readonly done: string }>();
  const heading = useRef<HTMLHeadingElement>(null);
  const isGone = answered !== undefined && proposal?.policy_hash !== answered.hash;
  // The proposal takes the focus with it.
  useEffect(() => {
    if (!isGone) return;
    announce(answered.done);
    focusAfterAct(heading.current);
    setAnswered(undefined);
  }, [isGone, answered]);
  if (inForce === undefined) return <p className="muted">{text.none}</p>;
  const [from, to, old] = [given.get('from'), given.get('to'), given.get('text')];
  return (
    <>
      {proposal !== null && (
        <Proposal
          key={proposal.policy_hash}
          proposal={proposal}
          active={inForce.policy_hash}
          onDone={(done) => setAnswered({ hash: proposal.policy_hash, done })}
        />
      )}
      {from !== null && to !== null && (
        <Section title={text.difference} aside={<Link to="/app/policy">{text.close}</Link>}>
          <Differences from={from} to={to} />
        </Section>
      )}
      {old !== null && (
        <Section title={text.wording} aside={<Link to="/app/policy">{text.close}</Link>}>
          <Wording hash={old} />
        </Section>
      )}
      <Section title={text.inForce} headingRef={heading}>
        <Facts
          rows={[
            [text.hash, <Hash key="hash" value={inForce.policy_hash} what={text.hash} />],
            [text.since, <Time key="since" iso={inForce.changed_at} />],
            [text.setBy, text.setters[inForce.set_by]],
            [text.candidate, inForce.shadow_hash === null ? null : <Hash value={inForce.shadow_hash} what={text.candidate} />],
          ]}
        />
        <InWords hash={inForce.policy_hash} />
      </Section>
      {inForce.shadow_hash !== null && <Shadow />}
      <PolicyEditor active={inForce.policy_hash} />
      <History rows={items} rejections={rejections} />
    </>
  );
}

interface ProposalProps {
  readonly proposal: PolicyProposalView;
  /** Hash of the policy in force. */
  readonly active: string;
  /** With what was done, in words. The proposal goes. */
  readonly onDone: (done: string) => void;
}

/** Another person answers; the differences are what the two agree on. Whoever proposed it may take it back. */
function Proposal({ proposal, active, onDone }: ProposalProps) {
  const { data: who } = useQuery(session);
  const approve = usePolicyChange<{ policy_hash: string }>('approvals', () => onDone(text.done.approved));
  const [isRejecting, setRejecting] = useState(false);
  const isOwn = who != null && isSameName(who.name, proposal.proposed_by.name);
  // Nobody approves what they cannot have seen.
  const isShown = useQuery(differences(active, proposal.policy_hash)).data !== undefined;
  return (
    <Section title={text.proposal}>
      <p>
        {text.proposedBy(proposal.proposed_by.name)} <Time iso={proposal.proposed_at} />
      </p>
      <Differences from={active} to={proposal.policy_hash} />
      {approve.error !== null && <Problem text={approve.error.message} />}
      <div className="row">
        {who?.role === 'approver' && !isOwn ? (
          <PendingButton
            className="primary"
            isPending={approve.isPending}
            isDisabled={!isShown}
            onPress={() => approve.mutate({ policy_hash: proposal.policy_hash })}
          >
            {text.approve}
          </PendingButton>
        ) : (
          <span className="muted">{text.another}</span>
        )}
        {(who?.role === 'approver' || who?.role === 'reviewer') && (
          <Button onPress={() => setRejecting(true)}>{isOwn ? text.takeBack : text.reject}</Button>
        )}
      </div>
      {isRejecting && (
        <Rejection
          hash={proposal.policy_hash}
          title={isOwn ? text.takeBack : text.reject}
          onDone={() => onDone(text.done[isOwn ? 'takenBack' : 'rejected'])}
          onClose={() => setRejecting(false)}
        />
      )}
    </Section>
  );
}

interface RejectionProps {
  readonly hash: string;
  readonly title: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function Rejection({ hash, title, onDone, onClose }: RejectionProps) {
  const [reason, setReason] = useState('');
  const reject = usePolicyChange<{ policy_hash: string; reason: string }>('rejections', () => {
    onClose();
    onDone();
  });
  return (
    <Modal title={title} onClose={onClose} isDismissable={reason === ''}>
      <p className="muted">{text.rejectHint}</p>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          reject.mutate({ policy_hash: hash, reason });
        }}
      >
        <LongText label={text.reason} value={reason} onChange={setReason} autoFocus />
        {reject.error !== null && <Problem text={reject.error.message} />}
        <p className="row">
          <PendingButton type="submit" className="primary" isPending={reject.isPending}>
            {title}
          </PendingButton>
          <Button onPress={onClose}>{text.close}</Button>
        </p>
      </Form>
    </Modal>
  );
}

function Differences({ from, to }: { readonly from: string; readonly to: string }) {
  const read = useQuery(differences(from, to));
  return <Loaded read={read}>{({ changes }) => <Changes rows={changes} />}</Loaded>;
}

/** The text of a policy that was in force or proposed. */
function Wording({ hash }: { readonly hash: string }) {
  const read = useQuery(policy(hash));
  return (
    <Loaded read={read} missing={text.unreadable}>
      {(data) => (
        <>
          <p>
            <Hash value={hash} what={text.hash} />
          </p>
          <pre className="wording" tabIndex={0} aria-label={text.wording}>
            {data.text}
          </pre>
        </>
      )}
    </Loaded>
  );
}

function InWords({ hash }: { readonly hash: string }) {
  const read = useQuery(policy(hash));
  return (
    <Loaded read={read} missing={text.unreadable}>
      {(data) => (
        <>
          <h3>{text.table}</h3>
          <SmallTable
            label={text.table}
            rows={[
              { line: text.sanctioned, ...data.sanctioned_exposure },
              ...data.table.map((row) => ({ ...row, line: text.lines[row.line as keyof typeof text.lines] ?? row.line })),
            ]}
            keyOf={({ line }) => line}
            columns={[
              { name: text.line, cell: ({ line }) => line },
              { name: words.kinds.deposit, cell: ({ deposit }) => <Cell of={deposit} /> },
              { name: words.kinds.withdrawal, cell: ({ withdrawal }) => <Cell of={withdrawal} /> },
            ]}
          />
          <h3>{text.limits}</h3>
          <SmallTable
            label={text.limits}
            rows={data.limits}
            keyOf={({ about }) => about}
            columns={[
              { name: text.limit, cell: ({ about }) => about },
              { name: text.value, isNumber: true, cell: ({ value }) => decimal(value) },
            ]}
          />
          {data.windows.length > 0 && (
            <>
              <h3>{text.windows}</h3>
              <SmallTable
                label={text.windows}
                rows={data.windows}
                keyOf={({ name }) => name}
                columns={[
                  { name: text.window, cell: ({ name }) => <code>{name}</code> },
                  { name: text.counts, cell: ({ counts }) => counts },
                ]}
              />
            </>
          )}
          <h3>{text.rules}</h3>
          <p className="muted">{text.rulesHint}</p>
          <SmallTable
            label={text.rules}
            rows={data.rules}
            keyOf={({ name }) => name}
            none={text.noRules}
            columns={[
              { name: text.rule, cell: ({ name }) => <Link to={`/app/screenings?rule=${encodeURIComponent(name)}`}>{name}</Link> },
              {
                name: text.effect,
                cell: ({ action, may_relax: mayRelax }) => (
                  <>
                    <Badge tone={action}>{words.actions[action]}</Badge> {mayRelax ? text.relaxes : ''}
                  </>
                ),
              },
              {
                name: text.when,
                cell: ({ when, words: condition }) => (
                  <>
                    {condition !== null && <div>{condition}</div>}
                    <code className="muted">{when}</code>
                  </>
                ),
              },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

function Cell({ of }: { readonly of: Policy['table'][number]['deposit'] }) {
  if (typeof of === 'string') return <Badge tone={of}>{words.actions[of]}</Badge>;
  return (
    <>
      <Badge tone={of.below}>{words.actions[of.below]}</Badge> {text.below(decimal(of.review_from_usd))}{' '}
      <Badge tone="review">{words.actions.review}</Badge> {text.from}{' '}
      <Badge tone={of.unknown_value}>{words.actions[of.unknown_value]}</Badge> {text.unknown}
    </>
  );
}

const hashColumn = {
  name: text.hash,
  cell: ({ policy_hash: hash }: Pick<PolicyProposalView, 'policy_hash'>) => (
    <Hash value={hash} what={text.hash} to={`/app/policy?text=${hash}`} />
  ),
  value: ({ policy_hash: hash }: Pick<PolicyProposalView, 'policy_hash'>) => hash,
};

interface HistoryProps {
  readonly rows: PoliciesView['items'];
  readonly rejections: PoliciesView['rejections'];
}

function History({ rows, rejections }: HistoryProps) {
  return (
    <Section title={text.history}>
      <SmallTable
        label={text.history}
        file="policy-history"
        rows={rows.map((row, index) => ({ ...row, before: rows[index + 1]?.policy_hash }))}
        keyOf={({ number }) => String(number)}
        columns={[
          { name: text.number, cell: ({ number }) => number, value: ({ number }) => number },
          { name: text.since, cell: ({ changed_at: at }) => <Time iso={at} />, value: ({ changed_at: at }) => at },
          hashColumn,
          { name: text.setBy, cell: ({ set_by: by }) => text.setters[by], value: ({ set_by: by }) => text.setters[by] },
          {
            name: text.candidate,
            cell: ({ shadow_hash: hash }) => (hash === null ? '–' : <code title={hash}>{shortened(hash)}</code>),
            value: ({ shadow_hash: hash }) => hash,
          },
          {
            name: text.difference,
            cell: ({ before, policy_hash: hash, number }) =>
              before === undefined || before === hash ? (
                '–'
              ) : (
                <Link to={`/app/policy?from=${before}&to=${hash}`}>{text.compare(number)}</Link>
              ),
          },
        ]}
      />
      {rejections.length > 0 && (
        <>
          <h3>{text.rejections}</h3>
          <Rejections rows={rejections} />
        </>
      )}
    </Section>
  );
}

const answerOf = ({ proposed_by: first, rejected_by: by }: PoliciesView['rejections'][number]): string =>
  isSameName(first.name, by.name) ? text.takenBack : text.rejected;

function Rejections({ rows }: { readonly rows: PoliciesView['rejections'] }) {
  return (
    <SmallTable
      label={text.rejections}
      file="policy-rejections"
      rows={rows}
      keyOf={({ policy_hash: hash, proposed_at: at }) => `${hash} ${at}`}
      columns={[
        hashColumn,
        {
          name: text.proposer,
          value: ({ proposed_by: by }) => by.name,
          cell: ({ proposed_by: by, proposed_at: at }) => (
            <>
              {by.name}, <Time iso={at} />
            </>
          ),
        },
        { name: text.proposedAt, value: ({ proposed_at: at }) => at },
        {
          name: text.answer,
          value: answerOf,
          cell: (row) => (
            <>
              <Badge tone="none">{answerOf(row)}</Badge> {row.rejected_by.name}, <Time iso={row.rejected_at} />
            </>
          ),
        },
        { name: text.answeredBy, value: ({ rejected_by: by }) => by.name },
        { name: text.answeredAt, value: ({ rejected_at: at }) => at },
        { name: text.reason, cell: ({ reason }) => <span className="breaking">{reason}</span>, value: ({ reason }) => reason },
      ]}
    />
  );
}
