// Calls any row of the route table, for rules that hold for all of them: with a body that passes the shape of the route
// and values for its path variables.
import { routes } from '../../functions/api.ts'
import type { Route } from '../../shared/http/route.ts'
import type { Call, Reply } from './call.ts'

/** One body for each route that requires fields; a route that is missing here fails the tests over the table. */
const BODIES: Record<string, object> = {
  'agent-execute': { tier: 'AUTO', command: 'list open tickets' },
  'agent-approve': { reason: 'reviewed' },
  'compliance-submit-evidence': {
    kind: 'access_review',
    title: 'Access review of the third quarter',
    control_refs: [{ framework_id: 'soc2', control_id: 'CC6.3' }],
    source: 'statement',
    statement: 'All accounts were reviewed.',
  },
  'evidence-erase': { data_subject: 'customer-1', reason: 'erasure_request' },
  'protocol-execute': { node_id: 'crm.contacts.editor', action_id: 'get_contact', payload: {} },
  'protocol-evaluate': { node_id: 'crm.contacts.editor', action_id: 'get_contact', payload: {} },
  'protocol-register-manifest': { manifest: manifest() },
  'protocol-validate-manifest': { manifest: manifest() },
  'security-save-policy': {
    name: 'No deletions',
    effect: 'forbid',
    when: { field: 'action.kind', op: 'eq', value: 'delete' },
    message: 'never',
  },
  'webhooks-create': { name: 'Sink', url: 'https://8.8.8.8/hook', events: ['*'] },
  'webhooks-recover': { since: '2026-11-20T00:00:00.000Z' },
  'webhooks-replay': { delivery_id: 'dlv_missing' },
}

/** A node with one action of each tier, by the words of their names. */
export function manifest(version = '1.0.0', id = 'crm.contacts.editor') {
  const endpoints = ['get_contact', 'update_contact', 'delete_contact'].map((action_id) => ({ action_id }))
  return { protocol_version: '1.0', node: { id, name: 'Contacts', version, endpoints } }
}

export const hasBody = ({ method }: Route): boolean => method === 'POST' || method === 'PATCH' || method === 'PUT'
export const bodyOf = (route: Route): object | undefined => (hasBody(route) ? (BODIES[route.id] ?? {}) : undefined)

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

/** Those that answer and end; a stream goes on until somebody stops reading. */
export const ends = ({ stream }: Route): boolean => !stream

export const restricted = routes.filter(({ access }) => access !== 'public' && access !== 'provider')
export const writing = routes.filter(hasBody)
