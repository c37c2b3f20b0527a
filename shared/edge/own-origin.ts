// Keeps web pages of other origins from MCP endpoints, which an agent on the same machine may reach without a browser's rules
// (DNS rebinding): a foreign Origin is refused, and where the service runs on loopback a foreign Host, too.
import { env } from '../base/lib/runtime.ts'
import { forbidden } from '../base/lib/failure.ts'
import type { Layer } from '../base/wire/call.ts'
import type { Headers } from '../base/wire/rest-event.ts'
import type { Route } from '../base/wire/route.ts'
import { corsHeaders } from './cors.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

export const ownOrigin = ({ dialect }: Pick<Route, 'dialect'>): Layer => ({
  before: ({ event }) => {
    if (dialect !== 'mcp') return
    const { headers } = event.call
    if (headers.origin !== undefined && !isOwn(headers.origin))
      throw forbidden('This origin is not allowed. Call from a server, or ask the operator to list the origin.')
    if (!isOwnHost(headers)) throw forbidden('This host name is not allowed. Use the address of the service.')
  },
})

const isLocal = () => LOOPBACK.test(new URL(env('BASE_URL')).hostname)
const hostnameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')

/** Pages on the machine of a developer may call a service that runs there, too. */
const isOwn = (origin: string): boolean =>
  [env('BASE_URL'), env('APP_URL')].some((url) => new URL(url).origin === origin) ||
  corsHeaders(origin)['Access-Control-Allow-Origin'] !== undefined ||
  (isLocal() && LOOPBACK.test(hostnameOf(origin)))

const isOwnHost = ({ host }: Headers): boolean =>
  host === undefined || !isLocal() || LOOPBACK.test(hostnameOf(`http://${host}`))
