// The request body of a configuration. Domains, URLs and certificates are checked in `configure.ts`.
import * as z from 'zod'
import { ASSERTION_ENCRYPTION, AttributeMap, RoleMapping } from './configuration.ts'

const url = z.string().min(1).max(2_048)

/** SAML 2.0 Core, section 8.3.6. */
export const ENTITY_ID_MAX = 1_024

const encryption = {
  assertion_encryption: z
    .enum(ASSERTION_ENCRYPTION)
    .default('off')
    .describe(
      'Whether assertions are encrypted for us: `off`, `accepted` (plain ones, too) or `required`. Otherwise than `off`, the metadata holds a certificate for it.',
    ),
  rotate_encryption_key: z
    .boolean()
    .default(false)
    .describe(
      'Whether to make a new key for encryption. Assertions for the former key are still read, until the next rotation.',
    ),
}

const SamlFields = z.strictObject({
  /** Trimmed, because copying adds spaces and messages are compared with it exactly. */
  idp_entity_id: z.string().trim().min(1).max(ENTITY_ID_MAX).describe('Entity id of the identity provider.'),
  sso_url: url.describe('The address of the identity provider for sign-in requests.'),
  slo_url: url.optional().describe('The address of the next step of single logout.'),
  certificates: z
    .array(z.string().max(10_000))
    .min(1)
    .max(3)
    .describe('Certificates that sign the responses of the identity provider.'),
  allow_idp_initiated: z
    .boolean()
    .default(false)
    .describe('Whether sign-ins that begin at the identity provider are accepted.'),
  ...encryption,
})

const SamlMetadataFields = z.strictObject({
  metadata_xml: z
    .string()
    .min(1)
    .max(200_000)
    .describe('Metadata of the identity provider, in place of `idp_entity_id`, `sso_url` and `certificates`.'),
  allow_idp_initiated: z
    .boolean()
    .default(false)
    .describe('Whether sign-ins that begin at the identity provider are accepted.'),
  ...encryption,
})

const OidcFields = z.strictObject({
  issuer: url.describe('Issuer of the OpenID Connect provider.'),
  client_id: z.string().min(1).max(512).describe('Id of the OAuth client.'),
  /** May be left out to keep the present secret. */
  client_secret: z.string().min(1).max(1_024).optional().describe('The secret of the client. It is shown only once.'),
})

export const SsoFields = z.strictObject({
  protocol: z.enum(['saml', 'oidc']).describe('The protocol of single sign-on.'),
  enabled: z.boolean().default(true).describe('Whether it is in force.'),
  enforce: z
    .boolean()
    .default(false)
    .describe('Whether people of these domains must use single sign-on. Owners keep their passwords.'),
  domains: z
    .array(z.string().min(1).max(253).toLowerCase())
    .min(1)
    .max(20)
    .describe('Domains of e-mail addresses whose people sign in here.'),
  jit: z.boolean().default(true).describe('Whether to create an account for people who sign in for the first time.'),
  default_roles: z
    .array(z.string().max(40))
    .min(1)
    .max(10)
    .default(['member'])
    .describe(
      'The roles of people who sign in for the first time. With `roles_authoritative`: of people in no mapped group.',
    ),
  group_attribute: z
    .string()
    .trim()
    .min(1)
    .max(256)
    .optional()
    .describe(
      'Name of the attribute (SAML) or claim (OpenID Connect) in which the provider names the groups of a person.',
    ),
  /** Bounded so that the audit entry of a change, which holds both versions, fits an item. */
  role_mappings: z
    .array(RoleMapping)
    .max(100)
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
    .default(true)
    .describe('Whether a second factor at the identity provider counts for people without one here.'),
  login_redirect_uris: z
    .array(url)
    .max(10)
    .default([])
    .describe('The addresses to which people may be sent after sign-in.'),
  attribute_map: AttributeMap.default({}),
  saml: z.union([SamlFields, SamlMetadataFields]).optional().describe('The SAML identity provider.'),
  oidc: OidcFields.optional().describe('The OpenID Connect provider.'),
})
export type SsoFields = z.output<typeof SsoFields>
