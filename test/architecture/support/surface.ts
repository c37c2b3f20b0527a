// What holds between the rows of the surface and the files, tables and names they speak of.
import type { Route } from '../../../shared/base/wire/route.ts'

export type Row = { id: string; area: string; operation: string }

const ID_MAX = 40
const NAME_MAX = 64
/** A prefix as long as a deployment will have, with its hyphen. */
const PREFIX_MAX = NAME_MAX - ID_MAX

const repeated = (names: readonly string[]) => names.filter((name, at) => names.indexOf(name) !== at)

/** `files`: those in the folders below `functions/`, without the route tables. */
export function rowsAndFiles(rows: readonly Row[], files: readonly string[]): string[] {
  const wanted = rows.map(({ area, operation }) => `functions/${area}/${operation}.ts`)
  return [
    ...wanted.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files.filter((file) => !wanted.includes(file)).map((file) => `${file} has no row`),
  ]
}

/** A name that Lambda cuts makes two functions collide. */
export const ids = (rows: readonly Row[]): string[] => [
  ...repeated(rows.map(({ id }) => id)).map((id) => `${id} is used twice`),
  ...rows.filter(({ id }) => id.length > ID_MAX).map(({ id }) => `${id} is longer than ${ID_MAX} characters`),
]

/** Whether function names of a deployment with this prefix stay whole. */
export const prefixFits = (prefix: string): boolean => `${prefix}-`.length <= PREFIX_MAX

const hostsOf = ({ host }: Pick<Route, 'host'>) => (host === 'both' ? ['api', 'app'] : [host])

/** Two routes must not answer one request. The names of path variables make no difference. */
export function places(routes: readonly Pick<Route, 'host' | 'method' | 'path'>[]): string[] {
  const all = routes.flatMap((route) => hostsOf(route).map((host) => `${route.method} ${host}:${placeOf(route.path)}`))
  return repeated(all).map((place) => `${place} is served twice`)
}

export const placeOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}')

type Known = { permissions: readonly string[]; artifacts: readonly string[]; events: readonly string[] }

const namesIn = (evidence: Route['evidence']) => {
  if (typeof evidence === 'string') return [evidence]
  return 'none' in evidence ? [] : [...evidence]
}

/** Permissions, artifact types and event types that a route names and no table holds. */
export const unknownNames = (route: Route, { permissions, artifacts, events }: Known): string[] => {
  const open = route.access === 'public' || route.access === 'provider'
  const unknown = [
    ...(open || permissions.includes(route.access) ? [] : [route.access]),
    ...namesIn(route.evidence).filter((type) => !artifacts.includes(type)),
    ...(route.emits ?? []).filter((type) => !events.includes(type)),
  ]
  return unknown.map((name) => `${route.id} names ${name}`)
}

/** Nothing that changes may leave no evidence by silence: the reason is a sentence. */
export const unexplained = ({ id, evidence }: Pick<Route, 'id' | 'evidence'>): string[] =>
  typeof evidence === 'object' && 'none' in evidence && !evidence.none.includes(' ') ? [`${id} says no reason`] : []
