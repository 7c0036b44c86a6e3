import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installOnce } from '../install-once.ts';
import { freePort } from '../stack/ports.ts';
import { supervise } from '../stack/supervisor.ts';

/** A span as the collector received it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: the first of its trace. */
  readonly parentSpanId: string;
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
}

/** A real OpenTelemetry Collector, which writes all spans to a file. */
export interface Collector {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  spans(): ReceivedSpan[];
  close(): Promise<void>;
}

/** An idle machine takes two minutes. */
const buildLimitMs = 1_200_000;
const files = ['main.go', 'go.mod', 'go.sum'];

export async function startCollector(): Promise<Collector> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(import.meta.dirname, file)));
  const folder = await installOnce(`otel-collector-${hash.digest('hex').slice(0, 16)}`, build);
  const [data, port] = [mkdtempSync(join(tmpdir(), 'weir-collector-')), await freePort()];
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { file: { path: join(data, 'spans.jsonl'), flush_interval: '100ms' } },
    service: { pipelines: { traces: { receivers: ['otlp'], exporters: ['file'] } }, telemetry: { metrics: { level: 'none' } } },
  };
  // JSON is YAML.
  writeFileSync(join(data, 'config.yaml'), JSON.stringify(config));
  const url = `http://127.0.0.1:${port}`;
  const collector = supervise({
    name: 'collector',
    folder: data,
    program: join(folder, 'collector'),
    args: [`--config=file:${join(data, 'config.yaml')}`],
    ready: () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
  });
  await collector.start();
  return { url, spans: () => spansOf(readFileSync(join(data, 'spans.jsonl'), 'utf8')), close: () => collector.remove() };
}

async function build(folder: string): Promise<void> {
  for (const file of files) copyFileSync(join(import.meta.dirname, file), join(folder, file));
  await promisify(execFile)('go', ['build', '-o', 'collector', '.'], { cwd: folder, timeout: buildLimitMs });
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Line {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly links?: readonly { readonly traceId: string }[];
        readonly attributes?: readonly Attribute[];
      }[];
    }[];
  }[];
}

/** The last line may be half written. */
function spansOf(text: string): ReceivedSpan[] {
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
  return lines
    .map((line) => JSON.parse(line) as Line)
    .flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ resource, scopeSpans }) => {
        const service = valuesOf(resource.attributes)['service.name'] ?? '';
        return scopeSpans.flatMap(({ spans }) =>
          spans.map(({ name, traceId, spanId, parentSpanId = '', links = [], attributes = [] }) => ({
            service,
            name,
            traceId,
            spanId,
            parentSpanId,
            links: links.map((link) => link.traceId),
            attributes: valuesOf(attributes),
          })),
        );
      }),
    );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
}
