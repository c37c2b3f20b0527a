// Layer 2: who is calling. The validity of a credential is read on every request and never cached, so revocation is
// immediate. The code for tokens is loaded with the first token.
import { modeOfKey } from '../identity/access/api-key.ts'
import { mcpResource } from '../identity/oauth/resources.ts'
import { type Context, createContext, openTable, type Principal, type Space, SYSTEM } from '../base/context.ts'
import type { Table } from '../base/table/table.ts'
import { authenticateKey } from './authenticate-key.ts'
import type { Begin, PresentedToken } from './authenticated.ts'
import { type Call, type Incoming, type Layer, unauthenticated } from '../base/wire/call.ts'
import { timesSent } from '../base/wire/rest-event.ts'
import type { Route } from '../base/wire/route.ts'

export const authenticate = (route: Route, begin: Begin): Layer => ({
  before: async ({ event }) => {
    const { call } = event
    const table = openTable()
    const open = route.access === 'public' || route.access === 'provider'
    if (open && !(route.session && timesSent(event, 'authorization') > 0)) {
      call.ctx = contextOf(call, { space: { tenant_id: 'none', mode: 'live' }, principal: SYSTEM, table })
      return
    }
    const credential = presented(event)
    const { space, principal, started, recheck, note } =
      'key' in credential
        ? await authenticateKey(call, credential, table, begin)
        : await authenticateToken(call, presentedAt(route, call, credential.token), table, begin)
    call.started = started
    call.ctx = contextOf(call, { space, principal, table })
    call.recheck = recheck
    const noted = note(call.ctx)
    if (noted) call.beside.push(noted)
  },
})

/** Tokens for the tools of a tenant are good at the address of these tools only. */
const presentedAt = ({ access, audience }: Route, { params: { tenant_id = '' } }: Call, token: string) => ({
  token,
  personal: access === 'public' || access === 'provider' || access === 'self',
  audience: audience === 'mcp' ? mcpResource(tenant_id) : undefined,
})

async function authenticateToken(call: Call, token: PresentedToken, table: Table, begin: Begin) {
  const tokens = await import('./authenticate-token.ts')
  return tokens.authenticateToken(call, token, table, begin)
}

type Caller = { space: Space; principal: Principal; table: Table }

const contextOf = (call: Call, caller: Caller): Context =>
  createContext({ ...caller, request: { ...call.ids, ip: call.ip, user_agent: call.userAgent, at: call.at } })

const BEARER = /^Bearer +(\S+)$/i
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The only credential of the request. Throws 401 unless there is exactly one, well-formed. */
function presented(event: Incoming): { key: string; mode: 'live' | 'test' } | { token: string } {
  const { headers } = event.call
  const sent = timesSent(event, 'authorization') + timesSent(event, 'x-api-key')
  const bearer = BEARER.exec(headers.authorization ?? '')?.[1]
  const key = headers['x-api-key'] ?? bearer
  const mode = key && modeOfKey(key)
  if (sent !== 1) throw unauthenticated()
  if (key && mode) return { key, mode }
  if (bearer && JWT.test(bearer)) return { token: bearer }
  throw unauthenticated()
}
