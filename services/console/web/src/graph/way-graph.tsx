import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import type { ExposureView } from '../api/types.ts';
import { Facts, Hash } from '../parts/basics.tsx';
import { Choice } from '../parts/fields.tsx';
import { Problem } from '../parts/states.tsx';
import { HopLine } from '../views/exposures.tsx';
import { words } from '../words/en.ts';
import { useZone } from '../parts/zone.ts';
import { day, decimal, isKnownAmount, percent, shortened, usd, type Zone } from '../words/format.ts';
import { Follow, useFollowing } from './follow.tsx';
import { foldedSize, labelSize, nodeSize, place, type Placed } from './layout.ts';
import { type GraphEdge, type GraphNode, graphOf } from './model.ts';
import { savePicture } from './picture.ts';

const { graph: texts } = words;
const zooms = [0.5, 0.75, 1, 1.5, 2];

interface Props {
  readonly rows: readonly ExposureView[];
  readonly subject: string | null;
  /** Of all addresses. */
  readonly chain: string;
  /** Of the picture's file. */
  readonly name: string;
}

/** The ways of the money of a result, hop by hop. The list of exposures says the same in words. */
export default function WayGraph({ rows, subject, chain, name }: Props) {
  const [least, setLeast] = useState('0');
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set());
  const [zoom, setZoom] = useState(2);
  const [chosen, choose] = useState<string>();
  const [centre, setCentre] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const drawing = useRef<SVGSVGElement>(null);
  const window = useRef<HTMLDivElement>(null);
  const following = useFollowing(chain);
  const { ways: followed } = following;
  const graph = useMemo(
    () => graphOf(rows, subject, { leastUsd: Number(least), unfolded, followed }),
    [rows, subject, least, unfolded, followed],
  );
  const placed = useMemo(() => place(graph), [graph]);
  const { x, y } = placed.nodes.find(({ node: { id } }) => id === centre) ??
    placed.nodes.find(({ node: { kind } }) => kind === 'subject') ?? { x: 0, y: 0 };
  const scale = zooms[zoom] ?? 1;
  // The reader begins at the subject, and goes on from what was expanded or followed.
  useEffect(() => {
    window.current?.scrollTo(x * scale - window.current.clientWidth / 2, y * scale - window.current.clientHeight / 2);
  }, [x, y, scale]);
  const node = graph.nodes.find(({ id }) => id === chosen);
  const edge = graph.edges.find((one) => edgeId(one) === chosen);
  const save = (): void => {
    if (drawing.current === null) return;
    setProblem(undefined);
    savePicture(drawing.current, `${name}.png`).catch(() => setProblem(texts.notSaved));
  };
  return (
    <figure className="way-graph" aria-label={texts.title}>
      <div className="row">
        <Choice label={texts.least} value={least} options={texts.leasts} onChange={setLeast} isRequired />
        <Button isDisabled={zoom === 0} aria-label={texts.smaller} onPress={() => setZoom(zoom - 1)}>
          −
        </Button>
        <Button isDisabled={zoom === zooms.length - 1} aria-label={texts.larger} onPress={() => setZoom(zoom + 1)}>
          +
        </Button>
        <Button onPress={save}>{texts.save}</Button>
        <span className="muted" role="status">
          {texts.counts(graph.nodes.length, graph.edges.length)} {graph.dust > 0 && texts.dust(graph.dust)}
        </span>
      </div>
      {problem !== undefined && <Problem text={problem} />}
      <div ref={window} className="scroll" role="group" aria-label={texts.drawing} tabIndex={0}>
        <Drawing
          ref={drawing}
          placed={placed}
          scale={scale}
          chosen={chosen}
          onChoose={(id, way) => {
            if (way === null) return choose(id);
            setUnfolded(new Set([...unfolded, way]));
            setCentre(graph.edges.find(({ to }) => to === id)?.from);
            // The button goes.
            window.current?.focus();
          }}
        />
      </div>
      <div aria-live="polite">
        {node !== undefined && (
          <NodeDetails key={node.id} node={node} edges={graph.edges} following={following} onAsk={() => setCentre(node.id)} />
        )}
        {edge !== undefined && <EdgeDetails edge={edge} />}
        {node === undefined && edge === undefined && <p className="muted">{texts.hint}</p>}
      </div>
    </figure>
  );
}

interface DrawingProps {
  readonly ref: React.RefObject<SVGSVGElement | null>;
  readonly placed: Placed;
  readonly scale: number;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string, way: number | null) => void;
}

function Drawing({ ref, placed: { width, height, nodes, edges }, scale, chosen, onChoose }: DrawingProps) {
  const zone = useZone();
  return (
    <svg ref={ref} viewBox={`0 0 ${width} ${height}`} width={width * scale} height={height * scale}>
      <defs>
        <marker id="way-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
          <path className="arrow" d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      {edges.map(({ edge, points }) => (
        <path
          key={edgeId(edge)}
          className={edge.hops.length > 0 ? 'edge' : 'edge unknown'}
          d={points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')}
          markerEnd="url(#way-arrow)"
        />
      ))}
      {edges.map(({ edge, label: { x, y } }) => {
        const [title, note] = edgeText(edge, zone);
        if (title === '') return null;
        return (
          <Chooser
            key={edgeId(edge)}
            className="edge-label"
            isChosen={chosen === edgeId(edge)}
            onChoose={() => onChoose(edgeId(edge), null)}
          >
            <rect x={x - labelSize.width / 2} y={y - labelSize.height / 2} {...labelSize} rx="6" />
            <text x={x} y={y - 3}>
              {title}
            </text>{' '}
            <text className="note" x={x} y={y + 11}>
              {note}
            </text>
          </Chooser>
        );
      })}
      {nodes.map(({ node, x, y }) => {
        const size = node.kind === 'folded' ? foldedSize : nodeSize;
        const [title, note] = nodeText(node);
        return (
          <Chooser key={node.id} className={`node ${node.kind}`} isChosen={chosen === node.id} onChoose={() => onChoose(node.id, node.way)}>
            <rect x={x - size.width / 2} y={y - size.height / 2} {...size} rx="8" />
            <text x={x} y={note === '' ? y + 4 : y - 4}>
              {title}
            </text>{' '}
            {note !== '' && (
              <text className="note" x={x} y={y + 13}>
                {note}
              </text>
            )}
          </Chooser>
        );
      })}
    </svg>
  );
}

interface ChooserProps {
  readonly className: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: React.ReactNode;
}

/** A part of the drawing that works as a button. */
function Chooser({ className, isChosen, onChoose, children }: ChooserProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    // Keys of the page must not act as well.
    event.stopPropagation();
    onChoose();
  };
  return (
    <g
      className={`${className}${isChosen ? ' chosen' : ''}`}
      role="button"
      tabIndex={0}
      aria-pressed={isChosen}
      onClick={onChoose}
      onKeyDown={onKeyDown}
    >
      {children}
    </g>
  );
}

interface NodeDetailsProps {
  readonly node: GraphNode;
  readonly edges: readonly GraphEdge[];
  readonly following: ReturnType<typeof useFollowing>;
  readonly onAsk: () => void;
}

function NodeDetails({ node: { id, address, exposures, followed }, edges, following, onAsk }: NodeDetailsProps) {
  const own = edges.filter(({ from, to }) => from === id || to === id);
  return (
    <>
      <Facts
        rows={[
          [
            words.address.title,
            address === null ? null : (
              <Hash value={address} what={words.address.title} to={`/app/addresses/${encodeURIComponent(address)}`} />
            ),
          ],
          ...exposures.map(
            (row, at) =>
              [
                exposures.length === 1 ? words.fields.label : `${words.fields.label} ${at + 1}`,
                [
                  endOf(row),
                  row.volume === null ? null : usd(row.volume),
                  row.percent === null ? null : percent(row.percent),
                  row.sources === undefined || row.sources.length === 0 ? null : words.case.labelledBy(row.sources.join(', ')),
                ]
                  .filter((part) => part !== null)
                  .join(', '),
              ] as const,
          ),
          ...followed.map(
            ({ of, row }) =>
              [
                texts.traced[row.side === 'out' ? 'out' : 'in'](shortened(of)),
                [endOf(row), row.volume === null ? null : usd(row.volume)].filter((part) => part !== null).join(', '),
              ] as const,
          ),
        ]}
      />
      {address !== null && <Follow address={address} coins={coinsOf(own)} following={following} onAsk={onAsk} />}
      <HopList edges={own} />
    </>
  );
}

const endOf = ({ entity, risk_type: type }: ExposureView): string => (type === '' ? entity : `${entity} (${words.riskType(type)})`);

const coinsOf = (edges: readonly GraphEdge[]): string[] => [...new Set(edges.flatMap(({ hops }) => hops.map(({ coin }) => coin)))];

function EdgeDetails({ edge }: { readonly edge: GraphEdge }) {
  return edge.hops.length === 0 ? <p>{texts.unknown(edge.unknown)}</p> : <HopList edges={[edge]} />;
}

function HopList({ edges }: { readonly edges: readonly GraphEdge[] }) {
  const hops = edges.flatMap((edge) => edge.hops).toSorted((a, b) => a.time.localeCompare(b.time));
  if (hops.length === 0) return null;
  return (
    <ol className="hops">
      {hops.map((hop) => (
        <HopLine key={`${hop.txid} ${hop.from} ${hop.to} ${hop.coin} ${hop.amount}`} hop={hop} />
      ))}
    </ol>
  );
}

const edgeId = ({ from, to }: GraphEdge): string => `${from} → ${to}`;
const longestTitle = 22;
const cut = (text: string): string => (text.length > longestTitle ? `${text.slice(0, longestTitle - 1)}…` : text);

function nodeText({ kind, address, exposures, followed, hidden }: GraphNode): readonly [title: string, note: string] {
  if (kind === 'folded') return [texts.folded(hidden), ''];
  const short = address === null ? '' : shortened(address);
  if (kind === 'subject') return [texts.subject, short];
  const rows = [...exposures, ...followed.map((way) => way.row)];
  const [row] = rows;
  if (row === undefined) return [short, ''];
  const others = new Set(rows.map(endOf)).size - 1;
  const more = others > 0 ? ` +${others}` : '';
  const note = [words.riskType(row.risk_type), address === null ? '' : `${address.slice(0, 8)}…`];
  return [cut(row.entity) + more, note.filter((part) => part !== '').join(' · ')];
}

function edgeText({ hops, unknown }: GraphEdge, zone: Zone): readonly [title: string, note: string] {
  const [hop] = hops;
  if (hop === undefined) return unknown > 0 ? [words.case.hops(unknown), texts.unknownTransfers] : ['', ''];
  if (hops.length > 1) return [texts.transfers(hops.length), sumOf(hops)];
  if (isKnownAmount(hop.amount)) return [cut(`${decimal(hop.amount, 4)} ${hop.coin}`), day(hop.time, zone)];
  return [cut(hop.usd === null ? `${words.case.unknownAmount} ${hop.coin}` : `${hop.coin}, ${usd(hop.usd)}`), day(hop.time, zone)];
}

function sumOf(hops: GraphEdge['hops']): string {
  const known = hops.flatMap(({ usd: value }) => (value === null ? [] : [value]));
  return known.length === hops.length ? usd(known.reduce((sum, value) => sum + value, 0)) : '';
}
