/** A feature needs a package that production installs omit. */
export class MissingPackageError extends Error {
  readonly code = 'PACKAGE_MISSING';
  readonly retriable = false;

  constructor(feature: string, names: string, options?: ErrorOptions) {
    super(`${feature} needs packages that are not installed; run: npm install --no-save --save-prod --omit=dev ${names}`, options);
  }
}

/** Imports optional packages; the error names the missing ones. */
export async function importOptional<Module>(feature: string, names: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new MissingPackageError(feature, names, { cause: error });
  }
}

/** Versions as in the repository's package.json. */
export const optionalPackages = {
  kafka: '@confluentinc/schemaregistry@1.10.1',
  parquet: '@duckdb/node-api@1.5.5-r.5',
  awsKms: '@aws-sdk/client-kms@3.1164.0',
  gcpKms: 'google-auth-library@10.5.0',
  s3: '@aws-sdk/client-s3@3.1175.0',
  node: 'viem@2.57.0',
  tracing:
    '@opentelemetry/context-async-hooks@3.1.1 @opentelemetry/exporter-trace-otlp-proto@0.301.1 @opentelemetry/resources@3.1.1 @opentelemetry/sdk-trace@3.1.1',
  x402: '@solana/kit@8.4.0 @x402/core@2.27.0 @x402/evm@2.27.0 @x402/extensions@2.27.0 @x402/svm@2.27.0 viem@2.57.0',
} as const;
