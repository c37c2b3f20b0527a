// The addresses of a provider for one account.
import { invalid } from '../../../base/lib/failure.ts'
import type { OAuthRules, Provider } from '../catalogue/provider.ts'

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
