// The pages of a device authorisation (RFC 8628): the code that a device shows is typed, then confirmed. Sign-in and consent
// follow as for every client.
import type { Client, Provider, RequestContext } from 'oidc-provider'
import { html, type Html } from '../../../base/wire/page.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { openTable } from '../../../base/context.ts'
import { countryOf } from '../../security-events/country.ts'
import { familyOf } from '../../security-events/note-success.ts'
import { DEVICE_WARNING, scopeList } from '../pages/forms.ts'
import { requestedScopes } from '../consent.ts'
import { currentRequest } from '../current-request.ts'
import { errorPage, type Refusal, show, submits } from '../pages/end-pages.ts'

/** Where a device asked from, for the person who is to recognise it. */
type DeviceInfo = { ip: string; program: string }

function deviceInfo(): DeviceInfo {
  const { ip, userAgent } = currentRequest().call
  return { ip, program: familyOf(userAgent) }
}

/** What the library throws to have the page shown again. */
type Cause = Error & { userCode?: string }

const WRONG = 'There is no such code, or it has expired. Compare it with your device, or start again there.'

const PROBLEMS: Record<string, string> = {
  NoCodeError: 'Type the code that your device shows.',
  NotFoundError: WRONG,
  ExpiredError: WRONG,
  AlreadyUsedError: 'This code was used already. Start again on your device.',
}

const REFUSALS: Record<string, string> = {
  slow_down: 'Too many codes were tried from your address. Wait a minute.',
  server_error: 'The service is not available. Try again in a moment.',
}

async function userCodePage(ctx: RequestContext, _form: string, refusal?: Refusal, cause?: Cause): Promise<void> {
  if (cause?.name === 'AbortedError') return deniedPage(ctx)
  const known = PROBLEMS[cause?.name ?? '']
  if (known !== undefined) ctx.status = 400
  const problem = known ?? (refusal && (REFUSALS[refusal.error] ?? 'This page has ended. Type the code again.'))
  const code = currentRequest().user_code ?? cause?.userCode ?? ''
  show(ctx, 'Connect a device', userCodeForm(ctx, code, problem))
}

const userCodeForm = ({ oidc }: RequestContext, code: string, problem: string | undefined): Html =>
  html`${problem !== undefined && html`<p role="alert" id="problem">${problem}</p>`}
    <form method="post" action="${oidc.urlFor('code_verification')}">
      <input type="hidden" name="xsrf" value="${oidc.session?.state?.secret}" />
      <label for="user_code">Code that your device shows</label>
      <input
        id="user_code"
        name="user_code"
        autocomplete="off"
        autocapitalize="characters"
        spellcheck="false"
        required
        maxlength="20"
        value="${code}"
        autofocus
      />
      <button>Continue</button>
    </form>
    <p class="hint">Type only a code that you see on a device or in a command line of yours.</p>`

async function confirmPage(
  ctx: RequestContext,
  form: string,
  client: Client,
  { ip, program }: DeviceInfo,
  code: string,
): Promise<void> {
  const [tenant, country] = await Promise.all([tenantOf(openTable(), client.tenant_id), countryOf(ip)])
  const place = country === null ? ip : `${ip} (${REGIONS.of(country) ?? country})`
  show(
    ctx,
    'Is this your device?',
    html`<p>
        <strong>${nameOf(client)}</strong> wants to act for you in <strong>${tenant.name}</strong>. It shows this code:
      </p>
      <p class="host"><strong>${code}</strong></p>
      <p>It asked from ${place}, by ${program}, and wants to:</p>
      ${scopeList(requestedScopes({ params: ctx.oidc.deviceCode?.params ?? {} }))} ${DEVICE_WARNING} ${submits(form)}
      <button form="op.deviceConfirmForm">Continue</button>
      <button form="op.deviceConfirmForm" name="abort" value="yes" class="second">Deny</button>`,
  )
}

const REGIONS = new Intl.DisplayNames('en', { type: 'region' })

async function agreedPage(ctx: RequestContext): Promise<void> {
  const { client } = ctx.oidc
  show(
    ctx,
    'Your device is connected',
    html`<p>${client && nameOf(client)} has the access that you gave. Go back to it; you can close this window.</p>`,
  )
}

const deniedPage = (ctx: RequestContext): void =>
  show(ctx, 'No access was given', html`<p>The device gets nothing. You can close this window.</p>`)

const nameOf = ({ clientName, clientId }: Client) => clientName ?? clientId

/** Eight letters without vowels are easy to type, make no words, and are too many to guess in ten minutes. */
export const DEVICE_FLOW = {
  charset: 'base-20',
  mask: '****-****',
  deviceInfo,
  userCodeInputSource: userCodePage,
  userCodeConfirmSource: confirmPage,
  successSource: agreedPage,
}

const PATH = '/oauth/device'
const PATHS = /^\/oauth\/device(\/[\w-]+)?$/

/** Middleware that handles requests of these pages before the library does. */
export const deviceRequests =
  (provider: Provider) =>
  async (ctx: RequestContext, next: () => Promise<void>): Promise<void> => {
    if (!PATHS.test(ctx.path)) return next()
    const begins = ctx.method === 'GET' && ctx.path === PATH
    if (begins) keepCode(ctx)
    // Without a session the library cannot show its own error.
    if (begins || (await provider.Session.get(ctx)).new !== true) return next()
    ctx.status = 400
    errorPage(ctx, {
      error: 'invalid_request',
      error_description: 'The page has ended, or it began in another browser.',
    })
  }

/**
 * The library would send a code from the address at once, by a script. Here it is only filled in, so that a person
 * compares it with what their device shows.
 */
function keepCode(ctx: RequestContext): void {
  const { user_code } = ctx.query
  currentRequest().user_code = [user_code].flat()[0]
  ctx.query = {}
}
