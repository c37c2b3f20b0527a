// The page that a provider sends people back to. It completes nothing: only the caller who began the authorisation may do that,
// with a credential of this service, so that nobody connects the account of somebody else to their own tenant.
import { env } from '../../base/lib/runtime.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { html, page } from '../../base/wire/page.ts'

type Query = Readonly<Partial<Record<'code' | 'state' | 'iss' | 'error', string | undefined>>>

/** People copy the lines below into a shell: nothing in them may end its quotes. */
const SAFE = /^[\w.~+/=:%-]{1,4096}$/
/** A state begins with the id of its connector. */
const STATE = /^([a-z][a-z0-9-]{1,39})\.[\w-]+$/

export function connectedPage(query: Query): HttpResponse {
  const { code, state, iss, error } = query
  const isSafe = [code, iss, error].every((value) => value === undefined || SAFE.test(value))
  const [, connector] = STATE.exec(state ?? '') ?? []
  if (!isSafe || connector === undefined || (code === undefined && error === undefined))
    return page(
      'Nothing to connect',
      html`<p>This page is opened by the provider of a connector. Start there again.</p>`,
    )
  const body = JSON.stringify({ ...(error === undefined ? { code } : { error }), state, iss })
  const said = error === undefined ? 'The provider has agreed.' : 'The provider has not agreed.'
  const call = `curl -s ${env('BASE_URL')}/api/v1/integration-fabric/connectors/${connector}/auth/complete \\\n  -H "X-API-Key: $KEY" -H "Content-Type: application/json" \\\n  -d '${body}'`
  return page(
    'One step is left',
    html`<p>${said} Whoever started the connection of ${connector} completes it within ten minutes, in a terminal.</p>
      <p>
        First set <code>KEY</code> to the API key that started it. If an access token did, send
        <code>Authorization: Bearer $TOKEN</code> in place of <code>X-API-Key: $KEY</code>.
      </p>
      <pre class="all" tabindex="0">${call}</pre>
      <p>This page can be closed.</p>`,
  )
}
