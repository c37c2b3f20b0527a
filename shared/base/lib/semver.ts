/** `major.minor.patch` without leading zeros. Parts have at most five digits, so that padded versions sort by number. */
export const SEMVER = /^(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})\.(0|[1-9]\d{0,4})$/

/** `1.10.0` → `00001.00010.00000`, whose text order is the version order. */
export const sortableVersion = (version: string): string =>
  version
    .split('.')
    .map((part) => part.padStart(5, '0'))
    .join('.')
