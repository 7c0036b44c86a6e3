import type { World } from './world.ts';

/** Of an alert: the seconds that it may take in operation. Its window, its `for`, and the age that it compares. */
type Alerts = Readonly<Record<string, number>>;

export type Mend = () => Promise<unknown>;

/** Of one run of a scenario. */
export interface Own {
  /** Settings of the commands of its runbooks, over those of the installation. */
  readonly env: Record<string, string>;
  /** Ends what the scenario has started, the last first, after its alerts. */
  readonly atEnd: (step: () => Promise<unknown>) => void;
}

/** One thing that breaks, and the alerts that must say so. */
export interface Scenario {
  readonly name: string;
  /** They end within the same time once the thing is mended. */
  readonly alerts: Alerts;
  /** They fire too, but look at so long a time that they end much later. */
  readonly lasting?: Alerts;
  /** They fire when the thing is mended. */
  readonly afterwards?: Alerts;
  /** Seconds after the mending until it is noticed, which are not divided. */
  readonly noticedAfter?: number;
  /** The installation starts broken. */
  readonly isFromStart?: boolean;
  /** Resolves with what mends it. Undefined: its alerts end by themselves. */
  readonly breakIt: (world: World, own: Own) => Promise<Mend | undefined>;
}

export const minute = 60;
export const day = 86_400;

export function alertsOf({ alerts, lasting, afterwards }: Scenario): string[] {
  return Object.keys({ ...alerts, ...lasting, ...afterwards });
}
