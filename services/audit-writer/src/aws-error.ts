/** An error of the AWS SDK by its name and status: its message may hold the request. */
export function awsErrorWords(error: unknown): string {
  const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  return `${name}${$metadata?.httpStatusCode === undefined ? '' : ` (${$metadata.httpStatusCode})`}`;
}
