import { useIsFetching, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { lazy, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, Form } from 'react-aria-components';
import {
  askedOf,
  chainsOf,
  type DoneScore,
  followedMs,
  isNotOffered,
  type Place,
  profileOf,
  scoreOf,
  taskOf,
  traceDirections,
  traceOf,
  transfersOf,
} from '../api/analyses.ts';
import type { Query } from '../api/queries.ts';
import { withQuery } from '../api/request.ts';
import type { AddressProfile, AddressTrace, AddressTransfers, ExposureView } from '../api/types.ts';
import { nameOfEnd, tracedOf, tracedValue, unexplainedOf, waysOf } from '../graph/trace-ways.ts';
import { Badge, Facts, Hash, Section, Time, Usd } from '../parts/basics.tsx';
import { Choice, ShortText } from '../parts/fields.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { Shares } from '../parts/shares.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { LazyPart, Loaded } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import { coins } from '../words/format.ts';
import { Exposures, txidsOf, Way } from './exposures.tsx';
import { Grounds } from './grounds.tsx';
import { useFilter } from './lists.tsx';

const { analysis: text } = words;
const WayGraph = lazy(() => import('../graph/way-graph.tsx'));
const addressPath = (address: string): string => `/app/addresses/${encodeURIComponent(address)}`;

/**
 * Shows what the risk service says about the address now. Only the reader's press of the button asks it; the address of the page has what
 * was asked, and answers that the page still has are shown again.
 */
export function Analysis({ address }: { readonly address: string }) {
  const chains = useQuery(chainsOf(address));
  const client = useQueryClient();
  const { filter, set } = useFilter(['chain']);
  const [pressedOf, press] = useState<string>();
  if (chains.data === undefined) {
    return (
      <Section title={text.title}>
        <Loaded read={chains}>{() => null}</Loaded>
      </Section>
    );
  }
  const items = chains.data;
  const [first] = items;
  if (first === undefined) return null;
  const { chain, coin } = items.find((item) => item.chain === filter['chain']) ?? first;
  const place = { chain, address };
  const has = (key: readonly unknown[]): boolean => client.getQueryData(key) !== undefined;
  // Without both answers, going back would ask one of them again.
  const isAsked = pressedOf === chain || (has(scoreOf(place).queryKey) && has(profileOf(place).queryKey));
  // The chain before has other coins.
  const choose = (other: string): void =>
    set({ chain: other, trace: '', trace_coin: '', transfers: '', transfers_coin: '', transfers_page: '' });
  const ask = (): void => {
    if (isAsked) void client.resetQueries({ queryKey: askedOf(place) });
    press(chain);
    if (filter['chain'] !== chain) choose(chain);
  };
  return (
    <>
      <Section title={text.title}>
        <p className="muted">{text.hint}</p>
        <div className="filters">
          {items.length > 1 && (
            <Choice
              label={words.fields.chain}
              options={Object.fromEntries(items.map((item) => [item.chain, item.chain]))}
              value={chain}
              onChange={choose}
              isRequired
            />
          )}
          <Ask place={place} isAsked={isAsked} onPress={ask} />
        </div>
        {isAsked && (
          <>
            <p className="row">
              <a href={withQuery('/v1/analyses/report', { ...place })} target="_blank" rel="noreferrer">
                {words.case.report}
              </a>
              <span className="muted">{text.reportHint}</span>
            </p>
            <Score key={chain} place={place} />
          </>
        )}
      </Section>
      {isAsked && (
        <>
          <Profile place={place} coin={coin} />
          <Transfers key={`transfers ${chain}`} place={place} coin={coin} isPressed={pressedOf === chain} />
          <Trace key={`trace ${chain}`} place={place} coin={coin} />
        </>
      )}
    </>
  );
}

interface AskProps {
  readonly place: Place;
  readonly isAsked: boolean;
  readonly onPress: () => void;
}

function Ask({ place, isAsked, onPress }: AskProps) {
  const isFetching = useIsFetching({ queryKey: askedOf(place) }) > 0;
  const begun = useQuery({ ...scoreOf(place), enabled: false }).data;
  const followed = useQuery({ ...taskOf(begun?.state === 'running' ? begun.task_id : null), enabled: false });
  const isRunning = begun?.state === 'running' && followed.data?.state !== 'done' && followed.error === null;
  const isAsking = isFetching || (isAsked && isRunning);
  return (
    <PendingButton className="primary" isPending={isAsking} onPress={onPress}>
      {isAsked ? text.askAgain : text.ask}
    </PendingButton>
  );
}

/** As `Loaded`; what the provider does not offer is no failure. */
function Answered<T>({ read, children }: { readonly read: UseQueryResult<T>; readonly children: (data: T) => ReactNode }) {
  if (isNotOffered(read.error)) return <p className="muted">{text.notOffered}</p>;
  return <Loaded read={read}>{children}</Loaded>;
}

function Score({ place }: { readonly place: Place }) {
  const begun = useQuery(scoreOf(place));
  const task = begun.data?.state === 'running' ? begun.data.task_id : null;
  const followed = useQuery(taskOf(task));
  const read = task === null ? begun : followed;
  if (read.data === undefined && read.error === null) return <p role="status">{text.computing}</p>;
  return (
    <Answered read={read}>
      {(data) => (data.state === 'done' ? <Result data={data} place={place} /> : <Computing key={task} place={place} />)}
    </Answered>
  );
}

/** A task that takes longer is not followed any more. */
function Computing({ place }: { readonly place: Place }) {
  const client = useQueryClient();
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const due = window.setTimeout(() => setLate(true), followedMs);
    return () => window.clearTimeout(due);
  }, []);
  if (!isLate) return <p role="status">{text.computing}</p>;
  return (
    <p className="row" role="status">
      {text.tooLong}
      <Button onPress={() => void client.resetQueries({ queryKey: scoreOf(place).queryKey })}>{text.ask}</Button>
    </p>
  );
}

function Result({ data, place }: { readonly data: DoneScore; readonly place: Place }) {
  const { risk_level: level, risk_detail: rows } = data;
  return (
    <>
      <p className="row" role="status">
        {level === null ? (
          <Badge tone="none">{words.outcomes[data.outcome]}</Badge>
        ) : (
          <Badge tone={level}>
            {words.levels[level]} {data.score}
          </Badge>
        )}
        <span>{data.detail_list.join(', ')}</span>
      </p>
      <Facts
        rows={[
          [words.fields.label, data.address_label],
          [words.fields.event, data.hacking_event],
          [text.illicit, data.illicit_usd === null ? null : <Usd value={data.illicit_usd} />],
          [words.fields.provider, data.provider],
          [words.fields.scanned, data.scanned_at === null ? null : <Time iso={data.scanned_at} />],
        ]}
      />
      {data.grounds !== null && level !== null && <Grounds of={data.grounds} level={level} />}
      <h3>{words.case.exposures}</h3>
      <Exposures rows={rows} />
      <Ways rows={rows} place={place} />
    </>
  );
}

function Ways({ rows, place: { chain, address } }: { readonly rows: readonly ExposureView[]; readonly place: Place }) {
  if (rows.length === 0) return null;
  return (
    <LazyPart>
      <WayGraph rows={rows} subject={address} chain={chain} name={`weir-${address}`} />
    </LazyPart>
  );
}

function Profile({ place, coin }: { readonly place: Place; readonly coin: string }) {
  const read = useQuery(profileOf(place));
  return (
    <Section title={text.profile}>
      <Answered read={read}>{(data) => <Figures data={data} coin={coin} />}</Answered>
    </Section>
  );
}

function Figures({ data, coin }: { readonly data: AddressProfile; readonly coin: string }) {
  const { labels, label_type: type, overview, counterparties, received, spent } = data;
  const amount = (of: number): string => `${coins(of, 8)} ${coin}`;
  // A source without amounts says zero where it knows none.
  const moved = (of: number, count: number): string => text.inTransactions(of === 0 && count > 0 ? text.unknownAmount : amount(of), count);
  const seen = (at: string | null) => (at === null ? null : <Time iso={at} />);
  return (
    <>
      <Facts
        rows={[
          [text.labels, labels === null ? text.notAnswered : labels.length === 0 ? text.noLabels : labels.join(', ')],
          [text.kind, type],
          ...(overview === null
            ? []
            : ([
                [text.balance, amount(overview.balance)],
                [text.received, moved(overview.total_received, overview.received_txs)],
                [text.spent, moved(overview.total_spent, overview.spent_txs)],
                [text.firstSeen, seen(overview.first_seen_at)],
                [text.lastSeen, seen(overview.last_seen_at)],
              ] as const)),
        ]}
      />
      <Part
        label={words.address.counterparties}
        rows={counterparties?.map(({ name, percent, amount: value }) => ({ name, percent, note: <Usd value={value} /> }))}
      />
      <Part label={text.sources} rows={received?.map(actionRow)} />
      <Part label={text.uses} rows={spent?.map(actionRow)} />
    </>
  );
}

type Share = Parameters<typeof Shares>[0]['rows'][number];

/** Without rows, the provider did not answer this question. */
function Part({ label, rows }: { readonly label: string; readonly rows: readonly Share[] | undefined }) {
  return (
    <>
      <h3>{label}</h3>
      {rows === undefined ? <p className="muted">{text.notAnswered}</p> : <Shares label={label} rows={rows} />}
    </>
  );
}

const actionRow = ({ action: name, percent, count }: NonNullable<AddressProfile['spent']>[number]) => ({
  name,
  percent,
  note: text.transactions(count),
});

interface Listing {
  readonly side: string;
  /** Empty: the native one. */
  readonly coin: string;
  readonly page: number;
}

const unopened: Listing = { side: 'all', coin: '', page: 1 };

function listingOf({ transfers: side = '', transfers_coin: coin = '', transfers_page: page = '' }: Query): Listing | undefined {
  return side in text.sides ? { side, coin, page: /^[1-9][0-9]{0,5}$/.test(page) ? Number(page) : 1 } : undefined;
}

interface TransfersProps {
  readonly place: Place;
  readonly coin: string;
  /** The reader has asked about the address: what the page had open is asked, too. */
  readonly isPressed: boolean;
}

function Transfers({ place, coin: native, isPressed }: TransfersProps) {
  const client = useQueryClient();
  const { filter, set } = useFilter(['transfers', 'transfers_coin', 'transfers_page']);
  const [pressed, press] = useState<Listing>();
  const [coin, setCoin] = useState(filter['transfers_coin'] || native);
  const queryOf = (of: Listing) => transfersOf(place, of.coin, of.side, of.page);
  const given = listingOf(filter);
  const isKept = given !== undefined && (isPressed || client.getQueryData(queryOf(given).queryKey) !== undefined);
  const open = pressed ?? (isKept ? given : undefined);
  const listing = open ?? unopened;
  const read = useQuery({ ...queryOf(listing), enabled: open !== undefined });
  const show = (change: Partial<Listing>): void => {
    // The address of the page follows later, and what it has until then must not be asked.
    const next = { ...listing, page: 1, ...change };
    press(next);
    set({ transfers: next.side, transfers_coin: next.coin, transfers_page: next.page === 1 ? '' : String(next.page) });
  };
  return (
    <Section title={text.transfers}>
      <p className="muted">{text.transfersHint}</p>
      {open !== undefined ? (
        <>
          <div className="filters">
            <Choice label={words.address.bySide} options={text.sides} value={listing.side} onChange={(side) => show({ side })} isRequired />
            <Form
              className="row"
              onSubmit={(event) => {
                event.preventDefault();
                show({ coin: coin.trim() === native ? '' : coin.trim() });
              }}
            >
              <ShortText label={text.coin} value={coin} onChange={setCoin} isRequired />
              <Button type="submit">{text.showTransfers}</Button>
            </Form>
          </div>
          <Answered read={read}>
            {(data) => <Parties data={data} coin={listing.coin === '' ? native : listing.coin} onPage={(page) => show({ page })} />}
          </Answered>
        </>
      ) : (
        <Button onPress={() => show({})}>{text.showTransfers}</Button>
      )}
    </Section>
  );
}

function Parties({
  data: { items, page, total_pages: pages },
  coin,
  onPage,
}: {
  readonly data: AddressTransfers;
  readonly coin: string;
  readonly onPage: (page: number) => void;
}) {
  return (
    <>
      <SmallTable
        label={text.transfers}
        none={text.noTransfers}
        file={pages > 1 ? `chain-transfers-${page}` : 'chain-transfers'}
        rows={items}
        keyOf={({ side, address }) => `${side} ${address}`}
        columns={[
          {
            name: text.party,
            cell: ({ address }) => <Hash value={address} what={text.party} to={addressPath(address)} />,
            value: ({ address }) => address,
          },
          { name: words.case.side, cell: ({ side }) => text.sides[side], value: ({ side }) => text.sides[side] },
          {
            name: words.fields.label,
            cell: ({ label, kind }) => [label, text.kinds[kind]].filter((part) => part !== '').join(', '),
            value: ({ label }) => label,
          },
          { name: text.kind, value: ({ kind }) => text.kinds[kind] },
          {
            name: words.columns.amount,
            cell: ({ amount }) => (amount === 0 ? text.unknownAmount : coins(amount, 4)),
            value: ({ amount }) => (amount === 0 ? null : amount),
            isNumber: true,
          },
          { name: text.coin, value: () => coin },
          {
            name: text.txids,
            value: ({ txids }) => txids.join(' '),
            cell: ({ txids: [newest, ...more] }) =>
              newest === undefined ? null : (
                <>
                  <Hash value={newest} what={words.fields.txid} /> {more.length > 0 && text.more(more.length)}
                </>
              ),
          },
        ]}
      />
      {pages > 1 && (
        <p className="row">
          <Button isDisabled={page <= 1} onPress={() => onPage(page - 1)}>
            {text.before}
          </Button>
          <span className="muted">{text.page(page, pages)}</span>
          <Button isDisabled={page >= pages} onPress={() => onPage(page + 1)}>
            {text.next}
          </Button>
        </p>
      )}
    </>
  );
}

const directionOf = (given: string | undefined): AddressTrace['direction'] | undefined => traceDirections.find((one) => one === given);

interface Question {
  readonly direction: AddressTrace['direction'];
  /** Empty: the native one. */
  readonly coin: string;
}

function Trace({ place, coin: native }: { readonly place: Place; readonly coin: string }) {
  const client = useQueryClient();
  const { filter, set } = useFilter(['trace', 'trace_coin']);
  const [pressed, press] = useState<Question>();
  const [coin, setCoin] = useState(filter['trace_coin'] || native);
  const heading = useRef<HTMLHeadingElement>(null);
  const wanted = coin.trim() === native ? '' : coin.trim();
  const given = { direction: directionOf(filter['trace']), coin: filter['trace_coin'] ?? '' };
  const isKept = given.direction !== undefined && client.getQueryData(traceOf(place, given.coin, given.direction).queryKey) !== undefined;
  const asked = pressed ?? (isKept ? given : undefined);
  const askFor = (direction: AddressTrace['direction']): void => {
    // The address of the page follows later, and what it has until then must not be asked.
    press({ direction, coin: wanted });
    set({ trace: direction, trace_coin: wanted });
    // The button is disabled then.
    heading.current?.focus();
  };
  return (
    <Section title={text.trace} headingRef={heading}>
      <p className="muted">{text.traceHint}</p>
      <div className="filters">
        <ShortText label={text.coin} value={coin} onChange={setCoin} isRequired />
        {traceDirections.map((direction) => (
          <Button
            key={direction}
            isDisabled={coin.trim() === '' || (asked?.direction === direction && asked.coin === wanted)}
            onPress={() => askFor(direction)}
          >
            {text.directions[direction]}
          </Button>
        ))}
      </div>
      {asked?.direction !== undefined && (
        <Traced key={`${asked.direction} ${asked.coin}`} place={place} direction={asked.direction} coin={asked.coin} />
      )}
    </Section>
  );
}

type TracedProps = Question & { readonly place: Place };

function Traced({ place, direction, coin }: TracedProps) {
  const read = useQuery(traceOf(place, coin, direction));
  if (read.data === undefined && read.error === null) return <p role="status">{text.tracing}</p>;
  return (
    <Answered read={read}>
      {(data) => (
        <>
          <p role="status">{tracedOf(data)}</p>
          <Ends data={data} />
          <Ways rows={waysOf(data)} place={place} />
        </>
      )}
    </Answered>
  );
}

type End = AddressTrace['ends'][number];

function Ends({ data }: { readonly data: AddressTrace }) {
  return (
    <>
      <SmallTable
        label={text.ends[data.direction]}
        none={text.noEnds}
        file={`trace-${data.direction}`}
        rows={data.ends}
        keyOf={({ address, kind }) => `${kind} ${address}`}
        columns={[
          { name: text.ends[data.direction], cell: nameOfEnd, value: nameOfEnd },
          { name: text.category, value: ({ category }) => words.riskType(category), cell: ({ category }) => words.riskType(category) },
          {
            name: words.address.title,
            cell: ({ address }) => <Hash value={address} what={words.address.title} to={addressPath(address)} />,
            value: ({ address }) => address,
          },
          {
            name: words.columns.value,
            cell: ({ value }) => tracedValue(data, value.haircut ?? 0),
            value: ({ value }) => value.haircut ?? 0,
            isNumber: true,
          },
          { name: text.unit, value: () => data.unit },
          { name: text.hops, cell: ({ hops }) => hops, value: ({ hops }) => hops, isNumber: true },
          { name: text.way, cell: (end: End) => <Way row={end} /> },
          { name: text.txids, value: txidsOf },
        ]}
      />
      {unexplainedOf(data).map((line) => (
        <p key={line} className="muted">
          {line}
        </p>
      ))}
    </>
  );
}
