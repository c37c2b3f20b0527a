// How the answers of real token endpoints depart from RFC 6749, by connector. What is not listed here follows it.

type Body = Record<string, unknown>

export type Quirk = {
  /** The answer has no `expires_in`: the token works until it is revoked. */
  endless?: true
  /** Sends `expires_in` only to clients that ask for it. */
  tellsWhenAsked?: true
  /** Reads JSON with Basic authentication only. */
  readsJson?: true
  tokens?: (body: Body) => Body
  /** An error in the form of this provider: status and body. */
  error?: (code: string) => { status: number; body: Body }
}

export const QUIRKS: Readonly<Record<string, Quirk>> = {
  slack: {
    endless: true,
    tokens: (body) => ({ ok: true, ...body, token_type: 'bot', team: { id: 'T01', name: 'Example' } }),
    error: (code) => ({ status: 200, body: { ok: false, error: code } }),
  },
  github: {
    endless: true,
    tokens: ({ scope, ...body }) => ({ ...body, scope: String(scope).replaceAll(' ', ',') }),
    error: (code) => ({ status: 200, body: { error: code === 'invalid_grant' ? 'bad_verification_code' : code } }),
  },
  hubspot: { error: (code) => ({ status: 400, body: { code, message: 'The request is not valid' } }) },
  linear: { tokens: ({ scope, ...body }) => ({ ...body, scope: String(scope).split(/[ ,]/) }) },
  microsoft: { tokens: (body) => ({ ...body, id_token: 'not.a.token' }) },
  notion: {
    endless: true,
    readsJson: true,
    tokens: (body) => ({ ...body, refresh_token: null, workspace_id: 'ws-1', workspace_name: 'Example' }),
  },
  salesforce: {
    tokens: (body) => ({
      ...body,
      id: 'https://login.salesforce.com/id/00D/005',
      instance_url: 'https://example.my.salesforce.com',
    }),
  },
  zendesk: { tellsWhenAsked: true, tokens: ({ token_type: _, ...body }) => body },
}
