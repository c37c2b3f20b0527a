// People who sign in over HTTP, as a client of the service does.
import type { Route } from '../../shared/base/wire/route.ts'
import { auth } from '../../functions/auth/routes.ts'
import { type Call, caller, type Reply } from './call.ts'
import { forPersons } from './any-route.ts'
import { showFactor } from './factors.ts'
import { type LocalStack, PASSWORD, type TestTenant } from './local-stack.ts'

type Person = { email: string; password?: string; tenant_id?: string }

/** A source address, or a user agent. */
type From = { ip?: string; headers?: Record<string, string> }

export type SignedIn = {
  access_token: string
  refresh_token: string
  user_id: string
  /** Of the access token. */
  claims: Record<string, unknown> & { origin_jti: string }
  /** With the access token. */
  call: Call
}

export const logIn = (
  local: Pick<LocalStack, 'call'>,
  { email, password = PASSWORD, tenant_id }: Person,
  from: From = {},
) => local.call(auth.login, { ...from, body: { email, password, ...(tenant_id && { tenant_id }) } })

/** Throws when the answer is not tokens. */
export async function signIn(
  local: Pick<LocalStack, 'apiUrl' | 'appUrl' | 'call'>,
  person: Person,
  from: From = {},
): Promise<SignedIn> {
  return signedIn(local, await logIn(local, person, from))
}

export function signedIn(local: Pick<LocalStack, 'apiUrl' | 'appUrl'>, { status, body }: Reply): SignedIn {
  const { access_token, refresh_token, user } = body
  if (status !== 200 || !access_token) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`)
  const claims = claimsOf(access_token)
  return { access_token, refresh_token, user_id: user.id, claims, call: caller(local, access_token) }
}

/** What a token says, whoever signed it. */
export const claimsOf = (token: string): SignedIn['claims'] =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

/** The owner of a tenant in a new session, with a second factor just shown. */
export const ownerInPerson = async (local: LocalStack, { owner }: Pick<TestTenant, 'owner'>): Promise<SignedIn> =>
  showFactor(local, await signIn(local, owner))

/** What opens a route to the owner of a tenant: the live key, or a new session where keys are refused. */
export async function openerOf(
  local: LocalStack,
  tenant: Pick<TestTenant, 'owner' | 'live_key'>,
  route: Route,
): Promise<string> {
  if (!forPersons(route)) return tenant.live_key
  return (await (route.inPerson ? ownerInPerson(local, tenant) : signIn(local, tenant.owner))).access_token
}
