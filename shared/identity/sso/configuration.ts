// The single sign-on configuration of a tenant, at most one each. The service provider's private key and the client secret
// are sealed.
import * as z from 'zod'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { bound } from '../../base/table/bound.ts'
import { spaceKey, type Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

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
export const AttributeMap = z.strictObject({
  name: z.string().min(1).max(256).optional(),
  given_name: z.string().min(1).max(256).optional(),
  family_name: z.string().min(1).max(256).optional(),
})
export type AttributeMap = z.output<typeof AttributeMap>

/** The roles that a group of the provider gives. */
export const RoleMapping = z.strictObject({
  group: z.string().trim().min(1).max(256),
  role_ids: z.array(z.string().max(40)).min(1).max(10),
})

const SpKey = z.object({ certificate: z.string(), private_key: z.string() })

export const SsoConfiguration = z.object({
  tenant_id: z.string(),
  protocol: z.enum(PROTOCOLS),
  enabled: z.boolean(),
  /** Password sign-in is refused for addresses of the domains, except for owners. */
  enforce: z.boolean(),
  domains: z.array(z.string()),
  /** People without an account get one at their first sign-in. */
  jit: z.boolean(),
  /** Of people who get an account at their first sign-in. */
  default_roles: z.array(z.string()),
  /** The attribute or claim in which the provider names the groups of a person. */
  group_attribute: z.string().optional(),
  role_mappings: z.array(RoleMapping).default([]),
  /** The groups alone decide: roles that were given by hand end at the next sign-in, but for the role owner. */
  roles_authoritative: z.boolean().default(false),
  trust_idp_mfa: z.boolean(),
  login_redirect_uris: z.array(z.string()),
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
  created_at: z.string(),
  updated_at: z.string(),
})
export type SsoConfiguration = z.output<typeof SsoConfiguration>

export const ssoConfigurations = bound({
  name: 'SSO',
  schema: SsoConfiguration,
  key: ({ tenant_id }: { tenant_id: string }) => ({ pk: spaceKey({ tenant_id, mode: 'live' }), sk: 'SSO' }),
  free: [],
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
