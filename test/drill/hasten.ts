const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** Prometheus scrapes each second, and a rate needs several samples. */
const leastRange = 6;
const day = 86_400;

/** Seconds of operation in a drill. An age of days is divided twice, for a drill cannot wait for one that is divided once. */
export function hastened(seconds: number, times: number): number {
  return seconds / (seconds < day ? times : times ** 2);
}

/**
 * The rules with all their times divided, so that a drill of hours takes minutes: windows, `for`, offsets, and the ages of metrics in seconds
 * that they compare. The conditions stay what they are.
 */
export function hasten(rules: string, times: number): string {
  if (times === 1) return rules;
  const shorter = (count: string, unit: string, least: number): string =>
    `${Math.max(Math.round((Number(count) * (units[unit] ?? 1)) / times), least)}s`;
  return rules
    .replaceAll(/\[(\d+)([smhd])\]/g, (_, count: string, unit: string) => `[${shorter(count, unit, leastRange)}]`)
    .replaceAll(/offset (\d+)([smhd])/g, (_, count: string, unit: string) => `offset ${shorter(count, unit, leastRange)}`)
    .replaceAll(/^( *for: )(\d+)([smhd])$/gm, (_, before: string, count: string, unit: string) => before + shorter(count, unit, 1))
    .split('\n')
    .map((line) =>
      // The count of a histogram is no age.
      /_seconds(?!_count|_bucket)/.test(line)
        ? line.replaceAll(/> (bool )?(\d+)/g, (_, bool = '', age: string) => `> ${bool}${hastened(Number(age), times)}`)
        : line,
    )
    .join('\n');
}
