import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
  readonly panels?: readonly Panel[];
}

const root = join(import.meta.dirname, '..', '..');
const flat = (panels: readonly Panel[]): Panel[] => panels.flatMap((panel) => [panel, ...flat(panel.panels ?? [])]);

/** Of every panel of every dashboard, with what Grafana fills in when every kind is selected. */
export const expressions = globSync('deploy/grafana/generated/*.json', { cwd: root }).flatMap((file) => {
  const { title, panels } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { title: string; panels: readonly Panel[] };
  return flat(panels).flatMap((panel) =>
    (panel.targets ?? []).map(
      ({ expr }) => [`${title}: ${panel.title}`, expr.replaceAll('$kind', '.+').replaceAll('$__rate_interval', '1m')] as const,
    ),
  );
});
