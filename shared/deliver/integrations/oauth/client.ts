// The OAuth client of this service at a provider: the tenant's own, else the operator's.
import * as z from 'zod'
import { providerSecrets } from '../../../base/providers/provider-secrets.ts'
import type { Context } from '../../../base/context.ts'
import { canonicalJson } from '../../../base/lib/json.ts'
import { conflict, invalid } from '../../../base/lib/failure.ts'
import { textSeal } from '../../../ledger/sealing/seal.ts'
import type { Auth } from '../connector.ts'
import { type KnownConnector, rowOf } from '../known-connector.ts'
import type { OAuthRules, Provider } from '../catalogue/provider.ts'

export type OAuthClient = { client_id: string; client_secret: string; origin?: string | undefined }

const SealedClient = z.object({ client_secret: z.string(), bound_to: z.string() })

const seal = textSeal('client')

/** Rewriting the addresses or the id in a row does not send the secret there. */
const boundTo = ({ id, own, auth: { authorization_url, token_url, revoke_url, client_id = '' } }: Place): string =>
  canonicalJson(own ? [client_id, authorization_url ?? '', token_url ?? '', revoke_url ?? ''] : [client_id, id])

export type Place = { id: string; auth: Auth; own: boolean }

export const sealClient = (ctx: Context, place: Place, client_secret: string): Promise<string> =>
  seal.seal(ctx.space, rowOf(ctx.space, place), JSON.stringify({ client_secret, bound_to: boundTo(place) }))

/** Undefined when nobody has set one. */
export async function findClient(ctx: Context, connector: KnownConnector): Promise<OAuthClient | undefined> {
  const { id, auth, own, settings } = connector
  const sealed = own ? own.client : settings?.client
  if (sealed === undefined) return own ? undefined : (await providerSecrets()).connectors[id]
  const place = { id, auth, own: own !== undefined }
  const text = await seal.open(ctx.space, rowOf(ctx.space, place), sealed)
  const { client_secret, bound_to } = SealedClient.parse(JSON.parse(text))
  const { client_id } = auth
  return client_id !== undefined && bound_to === boundTo(place) ? { client_id, client_secret } : undefined
}

/** Throws 409 that names who can help. */
export async function clientOf(ctx: Context, connector: KnownConnector): Promise<OAuthClient> {
  const client = await findClient(ctx, connector)
  if (client) return client
  throw conflict(
    `No OAuth client is set for ${connector.name}. Set client_id and client_secret of this connector, or ask the operator ` +
      'of this service to add one.',
    { code: 'connector_not_configured' },
  )
}

// The addresses of a provider for one account.

export type Params = Readonly<Record<string, string>>

/** `{name}` becomes the value. Values match the pattern of their param, so they stay in their place of a host name or path. */
export const filled = (address: string, params: Params): string =>
  address.replaceAll(/\{(\w+)\}/g, (whole, name: string) => params[name] ?? whole)

/** Throws 422 for a param that is unknown, is missing where the addresses need it, or does not match its pattern. */
export function mustBeParams(provider: Provider | undefined, params: Params): void {
  const known = new Map((provider?.params ?? []).map((param) => [param.name, param]))
  for (const [name, value] of Object.entries(params)) {
    const param = known.get(name)
    if (!param) throw invalid(['params', name], 'is no parameter of this connector', 'extra_forbidden')
    if (!param.pattern.test(value)) throw invalid(['params', name], `must match ${param.pattern.source}`)
  }
  for (const name of known.keys())
    if (provider?.base_url.includes(`{${name}}`) && params[name] === undefined)
      throw invalid(['params', name], 'is needed', 'missing')
}

/** The rules with the addresses of this account. `origin` stands in for all of them. */
export function addressed(rules: OAuthRules, params: Params, origin?: string): OAuthRules {
  const { authorization_url, token_url, revoke_url, ...rest } = rules
  const at = (address: string, path: string) => (origin === undefined ? filled(address, params) : `${origin}/${path}`)
  const { issuer: _, ...bare } = rest
  return {
    ...(origin === undefined ? rest : bare),
    authorization_url: at(authorization_url, 'authorize'),
    token_url: at(token_url, 'token'),
    ...(revoke_url !== undefined && { revoke_url: at(revoke_url, 'revoke') }),
  }
}
