// The endpoints of the specification beside those that are served.
import { readFileSync } from 'node:fs'
import type { Route } from '../../../shared/base/wire/route.ts'
import { placeOf } from './surface.ts'

/** `method` is `any` for a base below which a protocol of its own holds. */
export type Specified = { method: string; path: string; host: 'api' | 'app' }
type Served = Pick<Route, 'method' | 'path' | 'host'>

export const readSpecification = (): Specified[] =>
  JSON.parse(readFileSync(new URL('../spec-endpoints.json', import.meta.url), 'utf8'))

const serves = ({ host }: Served, wanted: Specified) => host === 'both' || host === wanted.host

const matches = (route: Served, { method, path }: Specified) =>
  method === 'any'
    ? route.path.startsWith(`${path}/`)
    : route.method === method && placeOf(route.path) === placeOf(path)

/** What the specification names and no route serves. */
export const unserved = (specified: readonly Specified[], routes: readonly Served[]): string[] =>
  specified
    .filter((wanted) => !routes.some((route) => matches(route, wanted)))
    .map(({ method, path, host }) => `${method} ${path} (${host})`)

/** Paths that both have, in which they disagree about the host or have no method in common. */
export function disagreements(specified: readonly Specified[], routes: readonly Served[]): string[] {
  return specified.flatMap((wanted) => {
    const place = `${wanted.method} ${wanted.path}`
    const matching = routes.filter((route) => matches(route, wanted))
    if (matching.length > 0)
      return matching.some((route) => serves(route, wanted)) ? [] : `${place} is not on ${wanted.host}`
    const known = routes.filter(({ path }) => path === wanted.path)
    const methods = specified.filter(({ path }) => path === wanted.path).map(({ method }) => method)
    const common = known.some(({ method }) => methods.includes(method))
    return known.length === 0 || common
      ? []
      : `${place} is served as ${known.map(({ method }) => method).join(', ')} only`
  })
}
