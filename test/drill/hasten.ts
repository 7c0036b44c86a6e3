const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** Prometheus scrapes each second, and a rate needs several samples. */
const leastRange = 6;

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
      line.includes('_seconds')
        ? line.replaceAll(/> (bool )?(\d+)/g, (_, bool = '', age: string) => `> ${bool}${Number(age) / times}`)
        : line,
    )
    .join('\n');
}
