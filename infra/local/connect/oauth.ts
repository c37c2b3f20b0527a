// The authorization server of the provider: a consent page, a token endpoint with PKCE and rotation, revocation (RFC 6749, 7636,
// 7009).
import { createHash, randomUUID } from 'node:crypto'
import { html, Html, page } from '../../../shared/base/wire/page.ts'
import { providerOf } from '../../../shared/deliver/integrations/catalogue/catalogue.ts'
import { QUIRKS } from './quirks.ts'
import type { Grant, Tokens } from './tokens.ts'

export const LOCAL_CLIENT = { client_id: 'countersign-local', client_secret: 'local-client-secret' }

const CODE_SECONDS = 600
const ACCESS_SECONDS = 3_600

export type Reply = { status: number; headers?: Record<string, string>; body: string }

const json = (status: number, body: object): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const fromPage = ({ status, headers, body }: ReturnType<typeof page>): Reply => ({
  status,
  headers,
  body: String(body),
})

/** The question of a person's consent. */
export function consentPage(connector: string, query: URLSearchParams): Reply {
  const name = providerOf(connector)?.name ?? connector
  const problem = problemOf(query)
  if (problem) return { ...fromPage(page('This request cannot be answered', html`<p>${problem}</p>`)), status: 400 }
  const scopes = (query.get('scope') ?? '').split(/[ ,]/).filter(Boolean)
  const items = new Html(scopes.map((scope) => html`<li>${scope}</li>`.text).join(''))
  const hidden = new Html(
    [...query].map(([key, value]) => html`<input type="hidden" name="${key}" value="${value}" />`.text).join(''),
  )
  return fromPage(
    page(
      `Connect ${name}?`,
      html`<p>Countersign asks for access to the example account of ${name} on this machine:</p>
        <ul>
          ${items}
        </ul>
        <form method="post" action="authorize">
          ${hidden}
          <button name="decision" value="allow">Allow</button>
          <button class="second" name="decision" value="deny">Deny</button>
        </form>`,
      { formTargets: [new URL(query.get('redirect_uri') ?? '').origin] },
    ),
  )
}

function problemOf(query: URLSearchParams): string | undefined {
  if (query.get('client_id') !== LOCAL_CLIENT.client_id) return 'The client is unknown.'
  if (!URL.canParse(query.get('redirect_uri') ?? '')) return 'The address to come back to is missing.'
  return query.get('response_type') === 'code' ? undefined : 'Only codes are given.'
}

/** The answer of the person, as a redirect. */
export function decided(connector: string, form: URLSearchParams, tokens: Tokens): Reply {
  const problem = problemOf(form)
  if (problem) return { status: 400, body: problem }
  const back = new URL(form.get('redirect_uri') ?? '')
  back.searchParams.set('state', form.get('state') ?? '')
  if (form.get('decision') === 'allow') {
    const challenge = form.get('code_challenge')
    const of = {
      kind: 'code',
      connector,
      client_id: form.get('client_id') ?? '',
      scope: (form.get('scope') ?? '').replaceAll(',', ' '),
      family: randomUUID(),
      redirect_uri: form.get('redirect_uri') ?? '',
      ...(challenge && { challenge }),
    } as const
    back.searchParams.set('code', tokens.issue(of, CODE_SECONDS))
  } else back.searchParams.set('error', 'access_denied')
  return { status: 303, headers: { location: back.href }, body: '' }
}

export type TokenRequest = { connector: string; authorization: string; contentType: string; text: string }

export function tokenReply(request: TokenRequest, tokens: Tokens): Reply {
  const quirk = QUIRKS[request.connector] ?? {}
  const refusal = (code: string) => {
    const { status, body } = quirk.error?.(code) ?? { status: 400, body: { error: code } }
    return json(status, body)
  }
  const isJson = request.contentType.startsWith('application/json')
  if ((quirk.readsJson === true) !== isJson) return refusal('invalid_request')
  const given = isJson ? new URLSearchParams(JSON.parse(request.text)) : new URLSearchParams(request.text)
  if (!isClient(request, given)) return { ...refusal('invalid_client'), status: 401 }
  const grant = granted(given, request.connector, tokens)
  if (!grant) return refusal('invalid_grant')
  const { scope, family } = grant
  const of = { connector: request.connector, client_id: LOCAL_CLIENT.client_id, scope, family }
  const seconds = quirk.endless ? 0 : ACCESS_SECONDS
  const tells = seconds > 0 && (!quirk.tellsWhenAsked || given.has('expires_in'))
  const body = {
    access_token: tokens.issue({ ...of, kind: 'access' }, seconds),
    token_type: 'bearer',
    scope,
    ...(!quirk.endless && { refresh_token: tokens.issue({ ...of, kind: 'refresh' }, 0) }),
    ...(tells && { expires_in: seconds }),
  }
  return json(200, quirk.tokens?.(body) ?? body)
}

function isClient({ authorization }: TokenRequest, given: URLSearchParams): boolean {
  const { client_id, client_secret } = LOCAL_CLIENT
  const basic = `Basic ${btoa(`${client_id}:${client_secret}`)}`
  return (
    authorization === basic || (given.get('client_id') === client_id && given.get('client_secret') === client_secret)
  )
}

function granted(given: URLSearchParams, connector: string, tokens: Tokens): Grant | undefined {
  const type = given.get('grant_type')
  const isCode = type === 'authorization_code'
  if (!isCode && type !== 'refresh_token') return undefined
  const grant = isCode
    ? tokens.use(given.get('code') ?? '', 'code')
    : tokens.use(given.get('refresh_token') ?? '', 'refresh')
  if (grant?.connector !== connector) return undefined
  if (!isCode) return grant
  const proof = createHash('sha256')
    .update(given.get('code_verifier') ?? '')
    .digest('base64url')
  const isProven = grant.challenge === undefined || grant.challenge === proof
  return isProven && grant.redirect_uri === given.get('redirect_uri') ? grant : undefined
}
