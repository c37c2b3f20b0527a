import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { sso } from './routes.ts'

const API = 'https://api.countersign.example'
const APP = 'https://app.countersign.example'
const TENANT = 'ten_01JD3Q8Z5N7K9N1Q3S5V7X9Z1B'

/** With SAML, where the provider encrypts assertions; the second certificate for it is of before the last rotation. */
const encrypted = {
  protocol: 'saml',
  enabled: true,
  enforce: true,
  domains: ['acme.example'],
  jit: true,
  default_roles: ['member'],
  group_attribute: 'groups',
  role_mappings: [{ group: 'Refund approvers', role_ids: ['approver'] }],
  roles_authoritative: false,
  trust_idp_mfa: true,
  login_redirect_uris: [],
  attribute_map: {},
  saml: {
    idp_entity_id: 'https://idp.acme.example/metadata',
    sso_url: 'https://idp.acme.example/sso',
    certificates: [certificate('CN=idp.acme.example', '2029-03-01T00:00:00.000Z', 'A1')],
    allow_idp_initiated: false,
    assertion_encryption: 'required',
    encryption_certificates: [
      certificate(`CN=${TENANT}`, '2036-11-20T10:00:00.000Z', 'C7'),
      certificate(`CN=${TENANT}`, '2036-10-02T10:00:00.000Z', '5E'),
    ],
  },
  sp: {
    entity_id: `${API}/auth/sso/saml/metadata/${TENANT}`,
    acs_url: `${API}/auth/sso/callback`,
    slo_url: `${API}/auth/sso/logout`,
    name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
    metadata_url: `${API}/auth/sso/saml/metadata/${TENANT}`,
    oidc_redirect_uri: `${APP}/auth/sso/callback`,
    oidc_scopes: 'openid email profile',
  },
  created_at: '2026-10-02T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
  version: 4,
}

/** `byte`: of the fingerprint. */
function certificate(subject: string, valid_to: string, byte: string) {
  return { subject, valid_to, fingerprint: Array.from({ length: 32 }, () => byte).join(':') }
}

export const examples: Examples<typeof sso> = {
  get: { responses: { 200: encrypted } },
  configure: {
    body: {
      protocol: 'oidc',
      domains: ['acme.example'],
      group_attribute: 'groups',
      role_mappings: [{ group: 'Refund approvers', role_ids: ['approver'] }],
      oidc: { issuer: 'https://login.acme.example', client_id: 'countersign', client_secret: 'secret' },
    },
  },
  test: { body: {} },
  samlCallback: { body: { SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlLz4=' } },
  token: { body: { code: 'the-code-of-the-sign-in' } },
}

export const variables: Variables<typeof sso> = {
  '/auth/sso/saml/metadata/{tenant}': ['The id of the tenant.', 'ten_01JD3Q8Z5N7K9N1Q3S5V7X9Z1B'],
  '/api/v1/users/{id}': ['Its id.', '5eb7d67a-d04d-4bf2-8daf-8899752a99bd'],
}
