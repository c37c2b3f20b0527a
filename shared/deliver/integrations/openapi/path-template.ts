import { Skipped } from './skipped.ts'

const PATH_MAX = 1_024
/** Printable characters of a path, and variables in braces. */
const PATH = /^\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|\{[^{}/?#\\%]{1,128}\})*$/
/** Segments that a URL resolves away. */
const CLIMBS = /(?:^|\/)\.{1,2}(?:\/|$)/

/** Throws `Skipped` for a path that would be another one in a URL. */
export function mustBeUsablePath(path: string): void {
  if (path.length > PATH_MAX || !PATH.test(path) || CLIMBS.test(path)) throw new Skipped('unsupported_path')
}
