// Types of the parts of the library that this project uses. The library comes without types.
declare module 'oidc-provider' {
  import type { KeyObject } from 'node:crypto'
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  export type Payload = Record<string, unknown>

  /** The storage of one kind of artefact. `expiresIn`: seconds. */
  export type Adapter = {
    upsert(id: string, payload: Payload, expiresIn?: number): Promise<void>
    find(id: string): Promise<Payload | undefined>
    findByUid(uid: string): Promise<Payload | undefined>
    findByUserCode(code: string): Promise<Payload | undefined>
    consume(id: string): Promise<void>
    destroy(id: string): Promise<void>
    revokeByGrantId(grantId: string): Promise<void>
  }

  /** Instants are in seconds. */
  export type Token = {
    jti: string
    kind: string
    iat?: number
    exp?: number
    clientId?: string
    accountId?: string
    grantId?: string
    scope?: string
    aud?: string
    amr?: string[]
    authTime?: number
    rotations?: number
  }

  export type Client = {
    clientId: string
    clientName?: string
    clientAuthMethod: string
    redirectUris: string[]
    scope?: string
    clientSecret?: string
    metadata(): Payload
    grantTypeAllowed(type: string): boolean
    /** From `extraClientMetadata`. */
    tenant_id: string
    mode: 'live' | 'test'
    skip_consent: boolean
  }

  /** `new`: not stored yet. `state`: while a form is shown, the secret that binds it to the session. */
  export type Session = {
    new?: boolean
    accountId?: string
    loginTs?: number
    uid: string
    amr?: string[]
    state?: { secret: string }
    /** Our own. */
    sign_in?: SignIn
    grantIdFor(clientId: string): string | undefined
  }

  /** What a sign-in of a browser rests on. Our own; `at` and `ends_at`: Unix seconds. */
  export type SignIn = { at: number; slo_key?: string; ends_at?: number }

  export class Grant {
    constructor(of: { accountId: string; clientId: string })
    static find(id: string): Promise<Grant | undefined>
    static readonly IN_PAYLOAD: string[]
    jti: string
    accountId: string
    clientId: string
    iat?: number
    exp?: number
    /** Our own. */
    sign_in?: SignIn
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export type InteractionResult = {
    login?: { accountId: string; amr?: string[]; remember?: boolean; rests_on?: SignIn }
    consent?: { grantId?: string }
    error?: string
    error_description?: string
  }

  export type Interaction = {
    uid: string
    exp: number
    params: Record<string, string | undefined>
    prompt: { name: string; reasons: string[]; details: Payload }
    session?: { accountId?: string; uid?: string }
    grantId?: string
    /** Only while a person agrees for a device. */
    deviceCode?: string
    returnTo: string
  }

  export type OidcContext = {
    route: string
    client?: Client
    account?: Account
    session?: Session
    params?: Record<string, string | undefined>
    requestParamScopes: Set<string>
    provider: Provider
    /** What the last page of the interaction has given. */
    result?: InteractionResult
    deviceCode?: DeviceCode
    urlFor(route: string): string
    entities: Record<string, unknown> & {
      InitialAccessToken?: Token
      Client?: Client
      Grant?: Grant
      Interaction?: { result?: InteractionResult }
    }
    getAccessToken(): string
  }

  export type DeviceCode = { jti: string; params: Record<string, string | undefined> }

  /** The context of one request in Koa. */
  export type RequestContext = {
    req: IncomingMessage
    res: ServerResponse
    method: string
    path: string
    query: Record<string, string | string[] | undefined>
    status: number
    type: string
    body: unknown
    set(name: string, value: string): void
    get(name: string): string
    remove(name: string): void
    response: { get(name: string): string }
    oidc: OidcContext
  }

  export type Account = {
    accountId: string
    claims(use: string, scope: string): Promise<Payload>
  }

  export type ResourceServer = {
    scope: string
    audience: string
    accessTokenTTL: number
    accessTokenFormat: 'jwt'
    jwt: { sign: { alg: 'RS256' } }
  }

  type Middleware = (ctx: RequestContext, next: () => Promise<void>) => Promise<void>

  export class Provider {
    constructor(issuer: string, configuration: object)
    /** The context of the current request; undefined outside of one. */
    static readonly ctx: RequestContext | undefined
    proxy: boolean
    use(middleware: Middleware): this
    on(event: string, listener: (ctx: RequestContext, ...rest: unknown[]) => void): this
    callback(): RequestListener
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>
    /** Returns the URL at which the browser continues. */
    interactionResult(req: IncomingMessage, res: ServerResponse, result: InteractionResult): Promise<string>
    readonly Client: { find(id: string): Promise<Client | undefined>; prototype: ClientMethods }
    readonly Grant: typeof Grant
    readonly Session: { get(ctx: RequestContext): Promise<Session>; prototype: SessionMethods; IN_PAYLOAD: string[] }
  }

  export type ClientMethods = {
    compareClientSecret(this: Client, given: string): boolean | Promise<boolean>
    backchannelLogout(this: Client, accountId: string, sid: string): Promise<void>
  }

  export type SessionMethods = {
    /** With a value sets it, and returns nothing. */
    sidFor(this: Session, clientId: string, value?: string): string | undefined
    loginAccount(this: Session, details: object): void
  }

  export class ExternalSigningKey {
    kid: string | undefined
    alg: string | undefined
    keyObject(): KeyObject
    sign(data: Uint8Array): Promise<Uint8Array>
  }

  export class OIDCProviderError extends Error {
    error: string
    error_description?: string
    statusCode: number
    expose: boolean
  }

  export class CustomOIDCProviderError extends OIDCProviderError {
    constructor(error: string, description: string)
  }

  type Refusal = new (description?: string, ...rest: unknown[]) => OIDCProviderError

  export const errors: {
    OIDCProviderError: typeof OIDCProviderError
    CustomOIDCProviderError: typeof CustomOIDCProviderError
    InvalidClientMetadata: Refusal
    InvalidGrant: Refusal
    InvalidRequest: Refusal
    InvalidRequestUri: Refusal
    InvalidScope: Refusal
    InvalidTarget: Refusal
    InvalidToken: Refusal
    SessionNotFound: Refusal
    SlowDown: Refusal
  }

  export type Prompt = { name: string; checks: { add(check: object): void; remove(reason: string): void } }

  export const interactionPolicy: {
    base(): Prompt[] & { get(name: string): Prompt }
    Check: (new (
      reason: string,
      description: string,
      check: (ctx: RequestContext) => boolean | Promise<boolean>,
    ) => object) & { REQUEST_PROMPT: true; NO_NEED_TO_PROMPT: false }
  }
}
