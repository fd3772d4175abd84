// What is wrong with a package, with what its caller gave, or with where it runs: one sentence. Whatever else is thrown is a fault of a device, and
// another plan may do without it.
export class PackageError extends Error {
  override readonly name = 'PackageError';
}
