// Calls any row of the route table, for rules that hold for all of them: with a body that passes the shape of the route
// and values for its path variables.
import { routes as all } from '../../functions/api.ts'
import { PERMISSIONS, TENANT_LEVEL } from '../../shared/base/catalog/permissions.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import type { Call, Reply } from './call.ts'

/** One body for each route that requires fields; a route that is missing here fails the tests over the table. */
const BODIES: Record<string, object> = {
  'agent-execute': { tier: 'AUTO', command: 'list open tickets' },
  'agent-approve': { reason: 'reviewed' },
  'allowlist-create': { cidr: '127.0.0.1' },
  'auth-change-password': { current_password: 'not the present one', new_password: 'another battery staple' },
  'auth-forgot-password': { email: 'ada@example.com' },
  'auth-login': { email: 'ada@example.com', password: 'correct horse battery staple' },
  'auth-login-unversioned': { email: 'ada@example.com', password: 'correct horse battery staple' },
  'auth-refresh': { refresh_token: 'rt_missing' },
  'auth-refresh-unversioned': { refresh_token: 'rt_missing' },
  'auth-register': { email: 'ada@example.com', password: 'correct horse battery staple' },
  'auth-resend-verification': { email: 'ada@example.com' },
  'auth-reset-password': { token: 'missing', password: 'correct horse battery staple' },
  'auth-update-me': { name: 'Ada' },
  'clients-create': {
    name: 'Reporter',
    type: 'confidential',
    grant_types: ['client_credentials'],
    scopes: ['governance:read'],
  },
  'clients-create-registration-token': { expires_in: 600 },
  'compliance-submit-evidence': {
    kind: 'access_review',
    title: 'Access review of the third quarter',
    control_refs: [{ framework_id: 'soc2', control_id: 'CC6.3' }],
    source: 'statement',
    statement: 'All accounts were reviewed.',
  },
  'domains-confirm': { domain: 'acme.example' },
  'domains-request': { domain: 'acme.example' },
  'evidence-erase': { data_subject: 'customer-1', reason: 'erasure_request' },
  'mfa-add-passkey': { challenge_id: 'cha_missing', credential: {}, name: 'Key' },
  'mfa-confirm-totp': { factor_id: 'mfa_missing', code: '000000' },
  'mfa-passkey-options': { purpose: 'register' },
  'mfa-verify': { method: 'totp', code: '000000' },
  'keys-create': { name: 'CI', kind: 'live', scopes: ['governance:read'] },
  'keys-update': { name: 'Nightly' },
  'kms-configure': { key_arn: null },
  'protocol-execute': { node_id: 'crm.contacts.editor', action_id: 'get_contact', payload: {} },
  'protocol-evaluate': { node_id: 'crm.contacts.editor', action_id: 'get_contact', payload: {} },
  'protocol-register-manifest': { manifest: manifest() },
  'protocol-validate-manifest': { manifest: manifest() },
  'roles-create': { name: 'hook-keeper', permissions: ['webhooks:read'] },
  'roles-replace': { permissions: ['webhooks:read'] },
  'security-save-policy': {
    name: 'No deletions',
    effect: 'forbid',
    when: { field: 'action.kind', op: 'eq', value: 'delete' },
    message: 'never',
  },
  'tenants-close': { confirm: 'not its name' },
  'tenants-create': { name: 'Second' },
  'users-invite': { email: 'grace@example.com', roles: ['member'] },
  'users-revoke-credentials': { kinds: ['api_keys'] },
  'users-set-roles': { roles: ['member'] },
  'sso-configure': {
    protocol: 'oidc',
    domains: ['acme.example'],
    oidc: { issuer: 'https://8.8.8.8', client_id: 'countersign', client_secret: 'secret' },
  },
  'sso-token': { code: 'missing' },
  'webhooks-create': { name: 'Sink', url: 'https://8.8.8.8/hook', events: ['*'] },
  'webhooks-recover': { since: '2026-11-20T00:00:00.000Z' },
  'webhooks-replay': { delivery_id: 'dlv_missing' },
}

/** A node with one action of each tier, by the words of their names. */
export function manifest(version = '1.0.0', id = 'crm.contacts.editor') {
  const endpoints = ['get_contact', 'update_contact', 'delete_contact'].map((action_id) => ({ action_id }))
  return { protocol_version: '1.0', node: { id, name: 'Contacts', version, endpoints } }
}

/** Takes JSON. */
export const hasBody = ({ method, form }: Route): boolean =>
  !form && (method === 'POST' || method === 'PATCH' || method === 'PUT')
export const bodyOf = (route: Route): object | undefined => BODIES[route.id] ?? (hasBody(route) ? {} : undefined)

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
export const forPersons = ({ access, inPerson }: Route): boolean =>
  inPerson === true || (access !== 'public' && access !== 'provider' && PERMISSIONS[access].scope === null)

export const restricted = routes.filter(({ access }) => access !== 'public' && access !== 'provider')
export const writing = routes.filter(hasBody)
