import type { World } from './world.ts';

/** Of an alert: the seconds that it may take in operation. Its window, its `for`, and the age that it compares. */
type Alerts = Readonly<Record<string, number>>;

export type Mend = () => Promise<unknown>;

/** One thing that breaks, and the alerts that must say so. */
export interface Scenario {
  readonly name: string;
  /** They end within the same time once the thing is mended. */
  readonly alerts: Alerts;
  /** They fire too, but look at so long a time that they end much later. */
  readonly lasting?: Alerts;
  /** They fire when the thing is mended. */
  readonly afterwards?: Alerts;
  /** The installation starts broken. */
  readonly isFromStart?: boolean;
  /** Resolves with what mends it. Undefined: its alerts end by themselves. */
  readonly breakIt: (world: World) => Promise<Mend | undefined>;
}

export const minute = 60;
export const day = 86_400;

export function alertsOf({ alerts, lasting, afterwards }: Scenario): string[] {
  return Object.keys({ ...alerts, ...lasting, ...afterwards });
}
