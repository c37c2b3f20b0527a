// The single sign-on configuration of a tenant, at most one each. The service provider's private key and the client secret
// are sealed.
import * as z from 'zod'
import { conflict, notFound } from '../../../base/lib/failure.ts'
import { bound } from '../../../base/table/bound.ts'
import { spaceKey, type Stored } from '../../../base/table/entity.ts'
import type { Table } from '../../../base/table/table.ts'

export const PROTOCOLS = ['saml', 'oidc'] as const

/** `accepted`: encrypted assertions and plain ones, for the time in which the provider is set up. */
export const ASSERTION_ENCRYPTION = ['off', 'accepted', 'required'] as const

export const SamlSettings = z.object({
  idp_entity_id: z.string(),
  sso_url: z.string(),
  slo_url: z.string().optional(),
  /** PEM; present and future signing certificates. */
  certificates: z.array(z.string()),
  allow_idp_initiated: z.boolean(),
  assertion_encryption: z.enum(ASSERTION_ENCRYPTION).default('off'),
})
export type SamlSettings = z.output<typeof SamlSettings>

export const OidcSettings = z.object({ issuer: z.string(), client_id: z.string(), client_secret: z.string() })
export type OidcSettings = z.output<typeof OidcSettings>

/** The provider's names of attributes or claims. */
export const AttributeMap = z
  .strictObject({
    name: z.string().min(1).max(256).optional().describe('Name of the attribute that holds the full name.'),
    given_name: z.string().min(1).max(256).optional().describe('Name of the attribute that holds the given name.'),
    family_name: z.string().min(1).max(256).optional().describe('Name of the attribute that holds the family name.'),
  })
  .describe('The attribute or claim of the identity provider for each property.')
export type AttributeMap = z.output<typeof AttributeMap>

/** The roles that a group of the provider gives. */
export const RoleMapping = z.strictObject({
  group: z.string().trim().min(1).max(256).describe('The group exactly as the provider names it: its id or its name.'),
  role_ids: z
    .array(z.string().max(40))
    .min(1)
    .max(10)
    .describe('The roles that the group gives, by name. Never `owner`.'),
})

const SpKey = z.object({ certificate: z.string(), private_key: z.string() })

export const SsoConfiguration = z.object({
  tenant_id: z.string(),
  protocol: z.enum(PROTOCOLS).describe('The protocol of single sign-on.'),
  enabled: z.boolean().describe('Whether it is in force.'),
  /** Password sign-in is refused for addresses of the domains, except for owners. */
  enforce: z
    .boolean()
    .describe('Whether people of these domains must use single sign-on. Owners keep their passwords.'),
  domains: z.array(z.string()).describe('Domains of e-mail addresses whose people sign in here.'),
  /** People without an account get one at their first sign-in. */
  jit: z.boolean().describe('Whether to create an account for people who sign in for the first time.'),
  /** Of people who get an account at their first sign-in. */
  default_roles: z
    .array(z.string())
    .describe(
      'The roles of people who sign in for the first time. With `roles_authoritative`: of people in no mapped group.',
    ),
  group_attribute: z
    .string()
    .optional()
    .describe(
      'Name of the attribute (SAML) or claim (OpenID Connect) in which the provider names the groups of a person.',
    ),
  role_mappings: z
    .array(RoleMapping)
    .default([])
    .describe('The roles that each group of the identity provider gives, applied at every sign-in through it.'),
  roles_authoritative: z
    .boolean()
    .default(false)
    .describe(
      'Whether the groups alone decide: at each sign-in, roles that were given by hand end, but for `owner`. Grants and denials stay.',
    ),
  trust_idp_mfa: z
    .boolean()
    .describe('Whether a second factor at the identity provider counts for people without one here.'),
  login_redirect_uris: z.array(z.string()).describe('The addresses to which people may be sent after sign-in.'),
  attribute_map: AttributeMap,
  saml: SamlSettings.optional(),
  /** `client_secret` sealed. */
  oidc: OidcSettings.optional(),
  /** The service provider: certificates (PEM) and sealed private keys. */
  sp: z.object({
    certificate: z.string(),
    private_key: z.string(),
    /** For assertions that are encrypted for us: the present key, and the one before it. */
    encryption: z.array(SpKey).max(2).optional(),
  }),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
})
export type SsoConfiguration = z.output<typeof SsoConfiguration>

export const ssoConfigurations = bound({
  name: 'SSO',
  schema: SsoConfiguration,
  key: ({ tenant_id }: { tenant_id: string }) => ({ pk: spaceKey({ tenant_id, mode: 'live' }), sk: 'SSO' }),
})

export const configurationRaced = () =>
  conflict('Another request has changed single sign-on. Read it again and repeat your change.')

export const notConfigured = () => notFound('single sign-on')

/** Throws 404 for a tenant without a configuration. */
export async function configurationOf(table: Table, tenant_id: string): Promise<Stored<SsoConfiguration>> {
  const found = await table.get(ssoConfigurations, { tenant_id })
  if (!found) throw notConfigured()
  return found
}
