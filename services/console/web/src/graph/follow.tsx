import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { isNotOffered, traceDirections, traceOf } from '../api/analyses.ts';
import type { AddressTrace } from '../api/types.ts';
import { focusAfterAct } from '../parts/announce.tsx';
import { Choice } from '../parts/fields.tsx';
import { PendingButton } from '../parts/pending-button.tsx';
import { Problem } from '../parts/states.tsx';
import { words } from '../words/en.ts';
import type { FollowedWay } from './model.ts';
import { tracedOf, unexplainedOf, waysOf } from './trace-ways.ts';

const { analysis: text } = words;

interface Question {
  readonly address: string;
  readonly coin: string;
  readonly direction: AddressTrace['direction'];
}

interface Following {
  readonly asking: UseMutationResult<AddressTrace, Error, Question>;
  readonly answers: readonly { readonly question: Question; readonly trace: AddressTrace }[];
  /** Of all answers, in their order. */
  readonly ways: readonly FollowedWay[];
}

/** What readers have asked from places of a graph. */
export function useFollowing(chain: string): Following {
  const client = useQueryClient();
  const [answers, setAnswers] = useState<Following['answers']>([]);
  const asking = useMutation({
    mutationFn: ({ address, coin, direction }: Question) => client.fetchQuery(traceOf({ chain, address }, coin, direction)),
    onSuccess: (trace, question) => setAnswers((known) => [...known, { question, trace }]),
  });
  const ways = useMemo(
    () => answers.flatMap(({ question: { address: of }, trace }) => waysOf(trace).map((row) => ({ of, row }))),
    [answers],
  );
  return { asking, answers, ways };
}

interface FollowProps {
  readonly address: string;
  /** Of the transfers at the address. Empty: the native one of the chain is asked for. */
  readonly coins: readonly string[];
  readonly following: Following;
  readonly onAsk: () => void;
}

/** Asks where the money of a place came from or went, beyond what the graph had from the beginning. */
export function Follow({ address, coins, following: { asking, answers }, onAsk }: FollowProps) {
  const part = useRef<HTMLDivElement>(null);
  const answered = useRef<HTMLDivElement>(null);
  const [picked, pick] = useState<string>();
  const coin = picked !== undefined && coins.includes(picked) ? picked : (coins[0] ?? '');
  const known = answers.filter(({ question: { address: of } }) => of === address);
  const isOfHere = asking.variables?.address === address;
  return (
    <div ref={part}>
      <div className="row">
        {coins.length > 1 && (
          <Choice label={text.coin} value={coin} options={Object.fromEntries(coins.map((one) => [one, one]))} onChange={pick} isRequired />
        )}
        {traceDirections.map((direction) => (
          <PendingButton
            key={direction}
            isPending={asking.isPending}
            isDisabled={known.some(({ question }) => question.coin === coin && question.direction === direction)}
            onPress={() => {
              onAsk();
              // The button stays disabled.
              asking.mutate({ address, coin, direction }, { onSuccess: () => focusAfterAct(answered.current, part.current) });
            }}
          >
            {text.directions[direction]}
          </PendingButton>
        ))}
        <small className="muted">{words.graph.followHint}</small>
      </div>
      {isOfHere && asking.isPending && <p>{text.tracing}</p>}
      {isOfHere && asking.error !== null && <Refused error={asking.error} />}
      <div ref={answered} tabIndex={-1}>
        {known.map(({ question: { coin: by, direction }, trace }) => (
          <p key={`${by} ${direction}`} className="muted">
            {coins.length > 1 && `${by}, `}
            {text.directions[direction]}: {summaryOf(trace)}
          </p>
        ))}
      </div>
    </div>
  );
}

function Refused({ error }: { readonly error: Error }) {
  return isNotOffered(error) ? <p className="muted">{text.notOffered}</p> : <Problem text={error.message} />;
}

function summaryOf(trace: AddressTrace): string {
  return [tracedOf(trace), ...(trace.ends.length === 0 ? [text.noEnds] : []), ...unexplainedOf(trace)].join(' ');
}
