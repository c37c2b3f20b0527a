// Calls any row of the route table, for rules that hold for all of them: with a body that passes the shape of the route
// and values for its path variables.
import { routes as all } from '../../functions/api.ts'
import { loadExamples } from '../../infra/openapi/examples.ts'
import { PERMISSIONS, TENANT_LEVEL } from '../../shared/base/catalog/permissions.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import type { Call, Reply } from './call.ts'

const EXAMPLES = await loadExamples(all)

/** A node with one action of each tier, by the words of their names. */
export function manifest(version = '1.0.0', id = 'crm.contacts.editor') {
  const endpoints = ['get_contact', 'update_contact', 'delete_contact'].map((action_id) => ({ action_id }))
  return { protocol_version: '1.0', node: { id, name: 'Contacts', version, endpoints } }
}

/** Takes JSON. */
export const hasBody = ({ method, form, raw }: Route): boolean =>
  !form && !raw && (method === 'POST' || method === 'PATCH' || method === 'PUT')
/** The example of the reference. Forms are posted by tests of their own. */
export const bodyOf = (route: Route): object | undefined => (route.form ? undefined : EXAMPLES[route.id]?.body)

export const variablesOf = ({ path }: Route): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** Every variable with the same value, but the tenant's own id where a path names it. */
export const paramsOf = (route: Route, tenant_id = 'ten_missing', value = 'missing'): Record<string, string> =>
  Object.fromEntries(variablesOf(route).map((name) => [name, name === 'tenant_id' ? tenant_id : value]))

type Input = {
  key?: string | undefined
  params?: Record<string, string>
  query?: Record<string, string | number>
  body?: object | string | undefined
  headers?: Record<string, string>
  ip?: string
}

export type AnyCall = (route: Route, input?: Input) => Promise<Reply>

/** The same call for a row whose path the compiler does not know. Body and path values are filled in where none are given. */
export const anyRoute =
  (call: Call): AnyCall =>
  (route, input = {}) => {
    const filled = { params: paramsOf(route), body: bodyOf(route), ...input }
    return call(route as Route<'/{any}'>, filled as Parameters<typeof call<'/{any}'>>[1])
  }

/** Those whose errors have our own form. Protocols with another one have tests of their own over their rows. */
export const routes = all.filter(({ dialect }) => dialect === undefined)

/** Those that answer and end; a stream goes on until somebody stops reading. */
export const ends = ({ stream }: Route): boolean => !stream

/** Of what belongs to the tenant as a whole the sandbox has nothing, and says so before it looks. */
export const noneInSandbox = ({ access, sandbox }: Route): boolean =>
  access !== 'public' && access !== 'provider' && !(sandbox ?? !TENANT_LEVEL.has(access))

/** No key and no OAuth token gets through: no scope carries the permission, or the row wants somebody who is there. */
export const forPersons = ({ access, inPerson, signedIn }: Route): boolean =>
  inPerson === true ||
  signedIn === true ||
  (access !== 'public' && access !== 'provider' && PERMISSIONS[access].scope === null)

export const restricted = routes.filter(({ access }) => access !== 'public' && access !== 'provider')
export const writing = routes.filter(hasBody)

/** Rows for `describe.each`, told by method and path. */
export const named = (list: readonly Route[]) => list.map((route) => [`${route.method} ${route.path}`, route] as const)

/**
 * All rows pass through the same layers. These three, of which one has a body, one an id and one both, meet every variant of
 * what a layer decides; the others take turns.
 */
export const SAMPLES: ReadonlySet<Route> = new Set(
  routes.filter(({ id }) => ['protocol-execute', 'webhooks-get', 'approvals-approve'].includes(id)),
)
