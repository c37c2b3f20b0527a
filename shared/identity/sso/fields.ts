// The request body of a configuration. Domains, URLs and certificates are checked in `configure.ts`.
import * as z from 'zod'
import { ASSERTION_ENCRYPTION, AttributeMap, RoleMapping } from './configuration.ts'

const url = z.string().min(1).max(2_048)

/** SAML 2.0 Core, section 8.3.6. */
export const ENTITY_ID_MAX = 1_024

const encryption = {
  assertion_encryption: z.enum(ASSERTION_ENCRYPTION).default('off'),
  /** Makes a new key. Assertions for the one before are still read, until the next rotation. */
  rotate_encryption_key: z.boolean().default(false),
}

const SamlFields = z.strictObject({
  /** Trimmed, because copying adds spaces and messages are compared with it exactly. */
  idp_entity_id: z.string().trim().min(1).max(ENTITY_ID_MAX),
  sso_url: url,
  slo_url: url.optional(),
  certificates: z.array(z.string().max(10_000)).min(1).max(3),
  allow_idp_initiated: z.boolean().default(false),
  ...encryption,
})

const SamlMetadataFields = z.strictObject({
  metadata_xml: z.string().min(1).max(200_000),
  allow_idp_initiated: z.boolean().default(false),
  ...encryption,
})

const OidcFields = z.strictObject({
  issuer: url,
  client_id: z.string().min(1).max(512),
  /** May be left out to keep the present secret. */
  client_secret: z.string().min(1).max(1_024).optional(),
})

export const SsoFields = z.strictObject({
  protocol: z.enum(['saml', 'oidc']),
  enabled: z.boolean().default(true),
  enforce: z.boolean().default(false),
  domains: z.array(z.string().min(1).max(253).toLowerCase()).min(1).max(20),
  jit: z.boolean().default(true),
  default_roles: z.array(z.string().max(40)).min(1).max(10).default(['member']),
  group_attribute: z.string().trim().min(1).max(256).optional(),
  /** Bounded so that the audit entry of a change, which holds both versions, fits an item. */
  role_mappings: z.array(RoleMapping).max(100).default([]),
  roles_authoritative: z.boolean().default(false),
  trust_idp_mfa: z.boolean().default(true),
  login_redirect_uris: z.array(url).max(10).default([]),
  attribute_map: AttributeMap.default({}),
  saml: z.union([SamlFields, SamlMetadataFields]).optional(),
  oidc: OidcFields.optional(),
})
export type SsoFields = z.output<typeof SsoFields>
