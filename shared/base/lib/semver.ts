/** `major.minor.patch` without leading zeros, parts of at most five digits, so that padded versions order like numbers. */
export const SEMVER = /^(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})$/

/** `1.10.0` → `00001.00010.00000`, whose text order is the order of versions. */
export const sortableVersion = (version: string): string =>
  version
    .split('.')
    .map((part) => part.padStart(5, '0'))
    .join('.')
