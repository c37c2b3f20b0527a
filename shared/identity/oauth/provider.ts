// The OAuth server of the library, built once per container.
import { Provider, type RequestContext } from 'oidc-provider'
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import { openTable } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { alarm } from '../../base/lib/log.ts'
import { memory } from '../../base/lib/memory.ts'
import { named } from '../artefacts/artefact.ts'
import { findClient } from './clients/client.ts'
import { configuration } from './configuration.ts'
import { deviceRequests } from './device/pages.ts'
import { introspectOwn } from './resource.ts'
import { answerOutage } from './pages/end-pages.ts'
import { oauthKeys } from './public-keys.ts'
import { keepSignIns } from './consent.ts'
import { isPreviousSecret } from './clients/change-client.ts'
import { noteUse, revokeAccessToken } from './middleware.ts'
import { KmsKey, type Sign } from './signing-key.ts'

/** Middleware that serves pages on a path of the server; `formKey` binds their forms to a browser. */
export type Pages = (
  provider: Provider,
  formKey: Uint8Array,
) => (ctx: RequestContext, next: () => Promise<void>) => Promise<void>

/** What only some functions can do: serve the pages of an authorisation; sign tokens, which needs a right of their role. */
export type Abilities = { pages?: Pages; sign?: Sign }

const built = memory<Promise<Provider>>()

/** The server with these abilities; the same one for each call in a container. */
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
  sendNoLogouts(provider)
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

/** Derives a session's id from its grant, so that the code that ends a grant can name the session without the browser's cookie. */
function nameSessionsByGrant({ Session }: Provider): void {
  // oxlint-disable-next-line typescript/unbound-method -- called below with the session that it belongs to
  const known = Session.prototype.sidFor
  Session.prototype.sidFor = function (clientId, value) {
    const grant = value === undefined ? this.grantIdFor(clientId) : undefined
    return grant === undefined ? known.call(this, clientId, value) : named('Grant', grant).hash
  }
}

/** The library sends no notices of logout: they go out after the commit that ends the grant (`send-logout.ts`). */
function sendNoLogouts({ Client }: Provider): void {
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
