export { importOptional, MissingPackageError, optionalPackages } from './optional-packages.ts';
