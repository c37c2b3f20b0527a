// The OAuth server of the library, built once per container.
import { Provider, type RequestContext } from 'oidc-provider'
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import { type Context, openTable } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { alarm } from '../../base/lib/log.ts'
import { memory } from '../../base/lib/memory.ts'
import { artefacts, named, sealPayload } from '../artefacts/artefact.ts'
import { findClient, forgetClient, oauthClients } from './clients/client.ts'
import { configuration } from './configuration.ts'
import { deviceRequests } from './device/pages.ts'
import { introspectOwn } from './resource.ts'
import { answerOutage } from './pages/end-pages.ts'
import { oauthKeys } from './public-keys.ts'
import { keepSignIns } from './consent.ts'
import { isPreviousSecret } from './clients/change-client.ts'
import { KmsKey, type Sign } from './signing-key.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { type AccessClaims, ENDED_TOKEN, isOfPerson, readAccessToken } from './access-token.ts'
import { asClient, contextIn } from './current-request.ts'
import { endGrant } from '../artefacts/end-grant.ts'
import { apiResource, mcpResource } from './resources.ts'
import { changed } from '../../ledger/audit/changed.ts'

/** Middleware that serves pages on a path of the server; `formKey` binds their forms to a browser. */
export type Pages = (
  provider: Provider,
  formKey: Uint8Array,
) => (ctx: RequestContext, next: () => Promise<void>) => Promise<void>

/** What only some functions can do: serve the pages of an authorisation; sign tokens, which needs a right of their role. */
export type Abilities = { pages?: Pages; sign?: Sign }

const built = memory<Promise<Provider>>()

export function oauthServer(abilities: Abilities): Promise<Provider> {
  const kind = Object.keys(abilities).join()
  const known = built.get(kind)
  if (known) return known
  const building = build(abilities)
  built.set(kind, building)
  building.catch(() => built.delete(kind)) // a failed start must not poison the container
  return building
}

const text = (key: Uint8Array) => Buffer.from(key).toString('base64url')

async function build({ pages, sign }: Abilities): Promise<Provider> {
  const [keys, cookieKey, formKey] = await Promise.all([
    oauthKeys(),
    derivedKey('oauth cookies'),
    derivedKey('oauth forms'),
  ])
  const signing = keys.map((key) => new KmsKey(key, sign))
  const provider = new Provider(env('APP_URL'), configuration({ keys: signing }, [text(cookieKey)]))
  provider.proxy = true // serve.ts sets the headers of host and scheme itself
  acceptPreviousSecrets(provider)
  nameSessionsByGrant(provider)
  keepSignIns(provider)
  leaveTelling(provider)
  provider.use(deviceRequests(provider))
  provider.use(introspectOwn)
  provider.use(revokeAccessToken)
  provider.use(noteUse)
  if (pages) provider.use(pages(provider, formKey))
  provider.on('server_error', (ctx, error) => {
    alarm('oauth_failed', error)
    answerOutage(ctx, error)
  })
  provider.on('error', (error) => alarm('oauth_failed', error))
  return provider
}

/** So that whatever ends a grant can name the session that ends with it, without a look at the browser's. */
function nameSessionsByGrant({ Session }: Provider): void {
  // oxlint-disable-next-line typescript/unbound-method -- called below with the session that it belongs to
  const known = Session.prototype.sidFor
  Session.prototype.sidFor = function (clientId, value) {
    const grant = value === undefined ? this.grantIdFor(clientId) : undefined
    return grant === undefined ? known.call(this, clientId, value) : named('Grant', grant).hash
  }
}

/** Clients are told of logouts after the commit that ends their grant (`tell-logout.ts`), and not by the library. */
function leaveTelling({ Client }: Provider): void {
  Client.prototype.backchannelLogout = () => Promise.resolve()
}

/** After a rotation the previous secret works for another day, but the library compares one secret only. */
function acceptPreviousSecrets({ Client }: Provider): void {
  // oxlint-disable-next-line typescript/unbound-method -- called below with the client that it belongs to
  const compare = Client.prototype.compareClientSecret
  Client.prototype.compareClientSecret = async function (given) {
    if (await compare.call(this, given)) return true
    const table = openTable()
    const client = await findClient(table, this.clientId)
    return client !== undefined && isPreviousSecret(client, given, table.clock.now())
  }
}

// Notes on a grant that tokens were issued under it, so that people see which applications they still use. An access token
// lives a quarter of an hour, so the note is that exact, and no request with a token writes.

async function noteUse(ctx: RequestContext, next: () => Promise<void>): Promise<void> {
  await next()
  const id = ctx.path === '/oauth/token' && ctx.status === 200 ? ctx.oidc.entities.Grant?.jti : undefined
  if (id === undefined) return
  const table = openTable()
  const last_used_at = Math.floor(table.clock.now() / 1_000)
  const condition = { expression: 'attribute_exists(pk)' }
  try {
    await table.commit([artefacts.update(named('Grant', id), { set: { last_used_at }, condition })])
  } catch (error) {
    // The old refresh token is used up, so the client must get its new one whatever becomes of the note.
    if (!(error instanceof ConditionFailed)) alarm('oauth_failed', error)
  }
}

// Revocation of access tokens (RFC 7009). The library does not store JWTs, so it cannot revoke them. A token for a person ends
// with its grant, and the refresh token with it. A token of the client itself has no grant, and ends alone.

/** Runs around the library. When the library answers `unsupported_token_type`, it has authenticated the client. */
async function revokeAccessToken(ctx: RequestContext, next: () => Promise<void>): Promise<void> {
  await next()
  const { error } = (ctx.body ?? {}) as { error?: unknown }
  if (ctx.path !== '/oauth/revoke' || error !== 'unsupported_token_type') return
  const { client, params } = ctx.oidc
  const resources = [apiResource(), mcpResource(client?.tenant_id ?? '')]
  const claims = await readAccessToken(params?.token ?? '', openTable().clock.now(), resources)
  if (claims && claims.client_id === client?.clientId) await end(claims)
  ctx.status = 200
  ctx.body = ''
}

async function end(claims: AccessClaims): Promise<void> {
  const { gid: hash, tenant_id, client_id, sub } = claims
  const ctx = contextIn(tenant_id, asClient(client_id))
  if (!isOfPerson(claims)) return endToken(ctx, claims)
  const grant = hash === undefined ? undefined : await openTable().get(artefacts, { model: 'Grant', hash })
  // The client asks for it, so it need not be told.
  if (grant) await endGrant(ctx, grant, sub, { logouts: [] })
}

/** Ends a token of the client at once. A second time changes nothing. */
async function endToken(ctx: Context, { jti, exp, tenant_id, client_id }: AccessClaims): Promise<void> {
  const { table } = ctx
  const client = await findClient(table, client_id)
  if (!client) return // its tokens have ended with it
  const sealed = sealPayload(ENDED_TOKEN, jti, {}, table.random)
  const known = { expression: 'attribute_exists(pk)' }
  try {
    await table.commit([
      artefacts.insert({ ...named(ENDED_TOKEN, jti), sealed, exp, tenant_id, client_id }),
      ...(client.ends_tokens ? [] : [oauthClients.update(client, { set: { ends_tokens: true }, condition: known })]),
      ...changed(ctx, [
        {
          action: 'oauth_token.revoked',
          artifact: 'identity.oauth_token.revoked',
          subject: { type: 'oauth_token', id: jti },
          data: { client_id },
        },
      ]),
    ])
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error // it has ended meanwhile
  } finally {
    forgetClient(client_id)
  }
}
