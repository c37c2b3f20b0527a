// What this service knows of a provider in its catalogue: how to be authorised, how its lists are paged, and an excerpt of its API.
import type { JsonMap } from '../openapi/resolve.ts'

/** How a provider departs from RFC 6749 and 7636 is stated here, and corrected in `oauth/conformed.ts`. */
export type OAuthRules = {
  authorization_url: string
  token_url: string
  /** RFC 7009. */
  revoke_url?: string
  /** Default: the origin of `authorization_url`. */
  issuer?: string
  /** Between the scopes of a request. Default: a space. */
  scope_separator?: ','
  /** Default: S256. */
  pkce?: false
  authorize_params?: Readonly<Record<string, string>>
  /** Sent with both grants. */
  token_params?: Readonly<Record<string, string>>
  /** Default: the secret in the body. */
  client_auth?: 'basic'
  /** Default: a form. */
  token_request?: 'json'
  /** Codes with which the token endpoint says that it may be better later. Any other code is a refusal. */
  not_now?: readonly string[]
}

/** What the tenant fills into the addresses, `{name}`. */
export type Param = { name: string; pattern: RegExp; description: string }

/** How the next page of a list is asked for. */
export type Paging =
  /** The member `from` of the answer goes into the parameter (of a POST: member of the body) `to`. */
  | { by: 'cursor'; from: string; to: string }
  /** `Link` with `rel="next"` (RFC 8288), or a member that holds the address of the next page. */
  | { by: 'link'; from?: string }
  /** The number of records so far goes into the parameter; `more` is a member of the answer. */
  | { by: 'offset'; to: string; more: string }

/** A list of the provider that can be synchronised. */
export type Model = {
  name: string
  /** `GET /path`, with what is always asked for. */
  list: string
  query?: Readonly<Record<string, string>>
  /** Of a POST. Values are sent as they are; a cursor joins them. */
  body?: JsonMap
  /** Path to the array in the answer, in dots; empty: the answer itself. */
  items: string
  id: string
  /** Parameter that takes the size of a page. */
  size?: string
  /** Parameter that takes an instant: only what changed since. Without it each run reads everything. */
  since?: string
  paging: Paging
}

export type Category = 'messages' | 'issues' | 'files' | 'contacts' | 'calendar'

export type Provider = {
  id: string
  name: string
  category: Category
  description: string
  oauth: OAuthRules
  /** May hold `{param}`, or `{instance_url}`: the address in the answer to the code, of a host under `instance_hosts`. */
  base_url: string
  instance_hosts?: string
  params?: readonly Param[]
  /** Sent with each call. */
  headers?: Readonly<Record<string, string>>
  scopes_required: readonly string[]
  scopes_optional?: readonly string[]
  /** Members of the token answer, in dots. */
  account?: { id: string; name?: string }
  /** Several sites for one authorisation: where they are listed, and the param that the chosen one fills. */
  sites?: { url: string; param: string }
  /** An answer with a status of success is an error when this member is false, or a list. */
  error_when?: { member: string; is: 'false' | 'list' }
  models: readonly Model[]
  /** OpenAPI 3.1, the operations that people ask for first. */
  document: JsonMap
}
