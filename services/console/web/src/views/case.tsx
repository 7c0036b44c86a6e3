import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { reasonInWords } from '@weir/contracts/reason-words';
import { review, screening, screenings, session } from '../api/queries.ts';
import type { DecisionView, ResolutionView, ReviewDetail, ScreeningView } from '../api/types.ts';
import { Badge, Facts, Hash, Section, Time, Usd } from '../parts/basics.tsx';
import { casePath, narrowColumns } from '../parts/columns.tsx';
import { LazyPart, Loaded } from '../parts/states.tsx';
import { moreOf, Table } from '../parts/table.tsx';
import { words } from '../words/en.ts';
import { counterparty, decimal, shortened } from '../words/format.ts';
import { Attachments } from './attachments.tsx';
import { Exposures } from './exposures.tsx';
import { Grounds } from './grounds.tsx';
import { keepers, Notes } from './notes.tsx';
import { Resolve, useOnward } from './resolve.tsx';

const { fields } = words;
/** With a library for graphs, which other views do without. */
const WayGraph = lazy(() => import('../graph/way-graph.tsx'));

export function CaseView() {
  const { id = '' } = useParams();
  const read = useQuery(screening(id));
  const standing = useQuery(review(id));
  const { data: who } = useQuery(session);
  const onward = useOnward(id);
  return (
    <Loaded read={read} missing={words.states.noScreening}>
      {(data) => {
        const other = counterparty(data.transfer);
        return (
          <>
            <CaseHead data={data} />
            {standing.data !== undefined && <Alerts review={standing.data} />}
            <div className="columns wide-left">
              <div>
                <Result data={data} />
              </div>
              <div>
                <Loaded read={standing}>
                  {(found) => <Resolve key={found.screening_id} review={found} why={whyOf(data)} onward={onward} />}
                </Loaded>
                <TransferFacts data={data} />
              </div>
            </div>
            <div className="columns wide-left">
              <div>
                <Ways data={data} />
                <TimeLine data={data} review={standing.data} />
                {data.transfer.user_id !== null && (
                  <Others
                    id={id}
                    title={words.case.others}
                    none={words.case.noOthers}
                    filter={{ user_id: data.transfer.user_id }}
                    aside={<Link to={`/app/customers/${encodeURIComponent(data.transfer.user_id)}`}>{data.transfer.user_id}</Link>}
                  />
                )}
                {other !== null && (
                  <Others
                    id={id}
                    title={words.case.othersOf}
                    none={words.case.noOthersOf}
                    filter={{ address: other }}
                    aside={<Link to={`/app/addresses/${encodeURIComponent(other)}`}>{shortened(other)}</Link>}
                  />
                )}
              </div>
              <div>
                <Loaded read={standing}>
                  {(found) => (
                    <>
                      <Notes key={found.screening_id} review={found} />
                      <Attachments
                        key={`${found.screening_id} attachments`}
                        path={`/v1/reviews/${found.screening_id}`}
                        attachments={found.attachments}
                        mayWrite={who != null && keepers.includes(who.role)}
                      />
                    </>
                  )}
                </Loaded>
                <Evidence data={data} />
              </div>
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function CaseHead({ data: { kind, transfer, status, result, screening_id: id } }: { readonly data: ScreeningView }) {
  const level = result?.risk_level;
  return (
    <header className="case-head">
      <h1>
        {words.kinds[kind]}: {decimal(transfer.amount)} {transfer.coin} <Usd value={transfer.usd_value} />
      </h1>
      <Badge tone={status}>{words.status[status]}</Badge>
      {level !== undefined && (
        <Badge tone={level}>
          {words.levels[level]} {result?.score}
        </Badge>
      )}
      <span className="links">
        <a href={`/v1/screenings/${id}/report`} target="_blank" rel="noreferrer">
          {words.case.report}
        </a>
        <a href={`/v1/reviews/${id}/export`} download>
          {words.case.file}
        </a>
      </span>
    </header>
  );
}

function Alerts({ review: { adverse_update: isAdverse, late_result: isLate } }: { readonly review: ReviewDetail }) {
  return (
    <>
      {isAdverse && <p className="problem">{words.case.adverse}</p>}
      {isLate && <p className="problem">{words.case.late}</p>}
    </>
  );
}

function TransferFacts({ data: { transfer, requested_at: at, deadline_at: deadline, subject } }: { readonly data: ScreeningView }) {
  const id = transfer.deposit_id ?? transfer.withdrawal_id ?? '';
  const hash = (value: string | null, what: string, path?: string) =>
    value === null ? null : <Hash value={value} what={what} {...(path && { to: `${path}${encodeURIComponent(value)}` })} />;
  return (
    <Section title={words.case.transfer}>
      <Facts
        rows={[
          [fields.id, id],
          [fields.chain, transfer.chain],
          [fields.from, hash(transfer.from_address, fields.from, '/app/addresses/')],
          [fields.to, hash(transfer.to_address, fields.to, '/app/addresses/')],
          [fields.memo, transfer.memo],
          [fields.txid, hash(transfer.txid, fields.txid, '/app/screenings?txid=')],
          [fields.value, <Usd key="value" value={transfer.usd_value} />],
          [
            fields.customer,
            transfer.user_id === null ? null : (
              <Link to={`/app/customers/${encodeURIComponent(transfer.user_id)}`}>{transfer.user_id}</Link>
            ),
          ],
          [fields.requested, <Time key="requested" iso={at} />],
          [words.case.deadline, deadline === null ? null : <Time iso={deadline} />],
          [fields.subject, hash(subject, fields.subject, '/app/screenings?subject=')],
        ]}
      />
    </Section>
  );
}

function Result({ data: { result } }: { readonly data: ScreeningView }) {
  if (result === null) return null;
  const findings = result.detail_list.length > 0 ? result.detail_list.join(', ') : result.reasons.map(reasonInWords).join('; ');
  return (
    <Section title={words.case.result}>
      <Facts
        rows={[
          [fields.outcome, words.outcomes[result.outcome]],
          // Where nothing is known the least score would read as a finding.
          [words.case.score, result.score === undefined || result.outcome !== 'SCORED' ? null : `${result.score} / 100`],
          [fields.findings, findings],
          [fields.label, result.address_label],
          [fields.event, result.hacking_event],
          [fields.provider, result.provider],
          [fields.scanned, result.scanned_ts === null ? null : <Time iso={new Date(result.scanned_ts * 1_000).toISOString()} />],
        ]}
      />
      {result.grounds !== undefined && result.risk_level !== undefined && <Grounds of={result.grounds} level={result.risk_level} />}
    </Section>
  );
}

function Ways({ data: { result, subject, transfer, screening_id: id } }: { readonly data: ScreeningView }) {
  if (result === null) return null;
  return (
    <Section title={words.case.exposures}>
      <Exposures rows={result.risk_detail} />
      {result.risk_detail.length > 0 && (
        <LazyPart>
          <WayGraph key={id} rows={result.risk_detail} subject={subject} chain={transfer.chain} name={`weir-${id}`} />
        </LazyPart>
      )}
    </Section>
  );
}

type Results = NonNullable<ScreeningView['results']>;

interface Entry {
  readonly key: string;
  readonly at: string;
  readonly tone: string;
  readonly badge: string;
  readonly title: ReactNode;
  readonly note: string;
}

/** What has happened to the screening, the latest first: its results and decisions, and what people asked for, answered, noted, planned and attached. */
function TimeLine({ data, review: of }: { readonly data: ScreeningView; readonly review: ReviewDetail | undefined }) {
  const entries = [
    ...data.decisions.map(decided),
    ...(of?.resolutions ?? []).flatMap(asked),
    ...(of?.notes ?? []).map(noted),
    ...(of?.plan_changes ?? []).map(planned),
    ...(of?.attachments ?? []).map(attached),
    ...begun(data),
  ];
  return (
    <Section title={words.case.timeline}>
      <ol className="timeline">
        {entries
          .toSorted((a, b) => b.at.localeCompare(a.at))
          .map(({ key, at, tone, badge, title, note }) => (
            <li key={key}>
              <Badge tone={tone}>{badge}</Badge>
              <div>
                <strong>{title}</strong>
                <div className="muted">
                  {note} <Time iso={at} />
                </div>
              </div>
            </li>
          ))}
      </ol>
    </Section>
  );
}

/** A line of the table has the name of its kind, a rule that people wrote that of all rules. */
function byPolicy(rule: string | null): string {
  if (rule === null) return words.case.byTable;
  const [, line] = /^(?:deposit|withdrawal)\.(.+)$/.exec(rule) ?? [];
  return line === undefined ? words.case.byRule(rule.replace(/^rules\./, '')) : words.case.byLine(line);
}

/** Of the latest decision. */
function whyOf({ decisions }: ScreeningView): string {
  const latest = decisions.at(-1);
  if (latest === undefined) return '';
  const by = latest.resolution_id === null ? byPolicy(latest.rule) : words.case.byPeople;
  return `${latest.reason_codes.map(reasonInWords).join('; ')}, ${by}`;
}

function decided({ revision, action, reason_codes: reasons, resolution_id: resolution, rule, decided_at: at }: DecisionView): Entry {
  const by = resolution === null ? byPolicy(rule) : words.case.byPeople;
  const note = `${words.case.revision(revision)}, ${by},`;
  return {
    key: `revision ${revision}`,
    at,
    tone: action,
    badge: words.actions[action],
    title: reasons.map(reasonInWords).join('; '),
    note,
  };
}

function asked(of: ResolutionView): Entry[] {
  const { resolution_id: id, action, reason, state, resolved_by: by, resolved_at: at, answered_by: second, answered_at: answeredAt } = of;
  const wanted = { key: `${id} asked`, at, tone: 'none', badge: by.name, title: words.case.wanted(action), note: `“${reason}”,` };
  if (second === null || answeredAt === null) return [wanted];
  const said = of.answer_reason === null ? '' : `“${of.answer_reason}”,`;
  const title = state === 'rejected' ? words.case.rejected : words.case.approved;
  return [wanted, { key: `${id} answered`, at: answeredAt, tone: 'none', badge: second.name, title, note: said }];
}

function noted({ note_id: id, written_by: by, written_at: at, text }: ReviewDetail['notes'][number]): Entry {
  return { key: `note ${id}`, at, tone: 'none', badge: by.name, title: words.case.noted, note: `“${text}”,` };
}

function attached({ attachment_id: id, name, attached_by: by, attached_at: at }: ReviewDetail['attachments'][number]): Entry {
  return { key: `attachment ${id}`, at, tone: 'none', badge: by.name, title: words.case.attached(name), note: '' };
}

function planned({ field, value, changed_by: by, changed_at: at }: ReviewDetail['plan_changes'][number], n: number): Entry {
  return { key: `plan ${n}`, at, tone: 'none', badge: by.name, title: plannedTitle(field, value), note: '' };
}

function plannedTitle(field: ReviewDetail['plan_changes'][number]['field'], value: string | null): ReactNode {
  if (field === 'assignee') return words.case.assignedTo(value ?? words.case.nobody);
  if (value === null) return words.case.removedDue;
  return (
    <>
      {words.case.setDueAt} <Time iso={value} />
    </>
  );
}

/** The request, and each result. */
function begun({ requested_at: at, results = [] }: ScreeningView): Entry[] {
  const arrived: Entry = { key: 'requested', at, tone: 'none', badge: words.case.transfer, title: words.case.arrived, note: '' };
  return [arrived, ...results.flatMap((result, n) => (result.reported_at === null ? [] : [scored(result, result.reported_at, n)]))];
}

function scored({ outcome, score, risk_level: level, provider }: Results[number], at: string, n: number): Entry {
  return {
    key: `result ${n}`,
    at,
    tone: level ?? 'none',
    badge: level === null ? words.outcomes[outcome] : `${words.levels[level]} ${score ?? ''}`,
    title: n === 0 ? words.case.answered(provider) : words.case.answeredAgain(provider),
    note: '',
  };
}

interface OthersProps {
  readonly id: string;
  readonly title: string;
  readonly none: string;
  readonly filter: Parameters<typeof screenings>[0];
  readonly aside: ReactNode;
}

/** The newest transfers that share something with this one. */
function Others({ id, title, none, filter, aside }: OthersProps) {
  const read = useInfiniteQuery(screenings(filter));
  return (
    <Section title={title} aside={aside}>
      <Loaded read={read}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items).filter((row) => row.screening_id !== id);
          return (
            <Table label={title} rows={rows} columns={narrowColumns} none={none} pathOf={casePath} more={moreOf(read)} hasKeys={false} />
          );
        }}
      </Loaded>
    </Section>
  );
}

function Evidence({ data: { result, decisions, audit } }: { readonly data: ScreeningView }) {
  const policy = decisions.at(-1)?.policy_hash;
  return (
    <Section title={words.case.evidence}>
      <Facts
        rows={[
          [
            words.case.evidence,
            result?.evidence_sha256 == null ? null : <Hash value={result.evidence_sha256} what={words.case.evidence} />,
          ],
          [words.case.policy, policy === undefined ? null : <Hash value={policy} what={words.case.policy} />],
          [
            words.case.audit,
            audit.map(({ index, event_id: event }) => (
              <Link key={event} className="entry" to={`/app/audit/${event}`}>
                {words.case.entry(index)}
              </Link>
            )),
          ],
        ]}
      />
    </Section>
  );
}
