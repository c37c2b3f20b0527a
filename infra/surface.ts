// All rows of the service, for the gateway, the bundler and the stacks.
import { routes } from '../functions/api.ts'
import { workers } from '../functions/workers.ts'
import { methodsOf } from '../shared/base/wire/head.ts'
import { NONE, type Route } from '../shared/base/wire/route.ts'
import type { Worker } from '../shared/base/wire/worker.ts'

/** The row for requests without a route: preflights, known paths with another method, unknown paths. */
export const UNMATCHED: Route = {
  area: 'gateway',
  operation: 'unmatched',
  id: 'gateway-unmatched',
  method: 'GET',
  path: '/{proxy+}',
  host: 'both',
  access: 'public',
  rate: 'none',
  uses: [],
  evidence: NONE,
  summary: 'CORS preflight, 405 or 404',
}

export type Surface = { routes: readonly Route[]; workers: readonly Worker[] }

export const SURFACE: Surface = { routes, workers: Object.values(workers) }

/** The worker that API Gateway asks before it calls the function of the route. */
export const authorizerOf = ({ audience }: Route): Worker | undefined =>
  SURFACE.workers.find(({ trigger }) => 'authorizes' in trigger && trigger.authorizes === audience)

export const authorizersOf = (all: readonly Route[]): readonly Worker[] => [
  ...new Set(all.flatMap((route) => authorizerOf(route) ?? [])),
]

/** All paths of a gateway with their rows. Those of SCIM are there in lower case, too, because some directories send them so. */
export const placed = (all: readonly Route[]): (readonly [path: string, route: Route])[] =>
  all.flatMap((route) => {
    const { path, dialect } = route
    const spellings = dialect === 'scim' ? new Set([path, path.toLowerCase()]) : [path]
    return [...spellings].map((one) => [one, route] as const)
  })

/** The methods that a gateway passes to the function of a row: HEAD beside a GET that only reads. */
export const passedOn = (route: Route): readonly string[] => methodsOf([route])

/** The rows of the functions, by area. */
export function byArea({ routes: all, workers: others }: Surface): Map<string, (Route | Worker)[]> {
  return Map.groupBy([...all, UNMATCHED, ...others], ({ area }) => area)
}

/** The source of a function: `functions/<area>/<operation>.ts`. */
export const sourceOf = (row: { id: string; area: string; operation: string }): string =>
  row.id === UNMATCHED.id ? 'functions/unmatched.ts' : `functions/${row.area}/${row.operation}.ts`
