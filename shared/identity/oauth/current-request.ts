// The current OAuth request, for code that the library calls without it.
import { AsyncLocalStorage } from 'node:async_hooks'
import { Provider } from 'oidc-provider'
import { type Context, createContext, type Principal, SYSTEM } from '../../base/context.ts'
import type { Call } from '../../base/wire/call.ts'

/**
 * `form`: the fields of the body; empty when the body is not a form. `resource`: what the authorisation is for whose page is
 * shown, since the request of a page does not say so. `user_code`: the code of a device in the address of a page.
 */
export type OAuthRequest = {
  call: Call
  form: URLSearchParams
  resource?: string | undefined
  user_code?: string | undefined
}

const current = new AsyncLocalStorage<OAuthRequest>()

export const duringRequest = <T>(of: OAuthRequest, run: () => T): T => current.run(of, run)

export function currentRequest(): OAuthRequest {
  const of = current.getStore()
  if (!of) throw new Error('there is no OAuth request outside of a request')
  return of
}

/** The resource that the request is about, as far as it names one. */
export const namedResource = (): string | undefined =>
  currentRequest().resource ?? Provider.ctx?.oidc.params?.resource ?? currentRequest().form.get('resource') ?? undefined

/** The context of the request inside a tenant. The mode is `live`, since people and clients belong to the whole tenant. */
export function contextIn(tenant_id: string, principal: Principal = SYSTEM): Context {
  const { call } = currentRequest()
  const request = { ...call.ids, ip: call.ip, user_agent: call.userAgent, at: call.at }
  return createContext({ space: { tenant_id, mode: 'live' }, principal, request })
}

/** The person of a grant, as the actor in evidence. Carries no permissions. */
export const asUser = (id: string): Principal => ({
  ...SYSTEM,
  kind: 'user',
  credential: 'oauth_user',
  id,
  user_id: id,
  persons: [id],
})

export const asClient = (client_id: string): Principal => ({
  ...SYSTEM,
  kind: 'client',
  credential: 'oauth_client',
  id: client_id,
})
