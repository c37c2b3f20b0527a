// The single sign-on configuration as the API shows it, and the values to enter at the provider.
import * as z from 'zod'
import { acsUrl, entityId, metadataUrl, oidcRedirectUri, sloUrl } from '../addresses.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { certificateView } from '../saml/certificate.ts'
import { ASSERTION_ENCRYPTION, type SamlSettings, SsoConfiguration } from './configuration.ts'
import { EMAIL_FORMAT } from '../saml/messages.ts'

export const OIDC_SCOPES = 'openid email profile'

/** The service provider settings that an administrator enters at the identity provider. */
export const SpView = z.object({
  entity_id: z.string().describe('The entity id of Countersign (SAML 2.0).'),
  acs_url: z.string().describe('The address to which the identity provider posts its responses.'),
  slo_url: z.string().describe('The address of the next step of single logout.'),
  name_id_format: z.string().describe('The requested form of name ids (SAML 2.0).'),
  metadata_url: z.string().describe('The address of the SAML metadata of Countersign.'),
  oidc_redirect_uri: z.string().describe('The redirect URI to enter at the provider.'),
  oidc_scopes: z.string().describe('The scopes that Countersign requests.'),
})

const CertificateView = z.object({
  subject: z.string().describe('The subject of the certificate.'),
  valid_to: z.string().describe('When the certificate expires.'),
  fingerprint: z.string().describe('SHA-256 of the certificate, hex.'),
})

/** The configuration without its secrets. */
export const SsoView = SsoConfiguration.omit({ tenant_id: true, sp: true, saml: true, oidc: true }).extend({
  saml: z
    .object({
      idp_entity_id: z.string().describe('Entity id of the identity provider.'),
      sso_url: z.string().describe('The address of the identity provider for sign-in requests.'),
      slo_url: z.string().optional().describe('The address of the next step of single logout.'),
      certificates: z.array(CertificateView).describe('Certificates that sign the responses of the identity provider.'),
      allow_idp_initiated: z.boolean().describe('Whether sign-ins that begin at the identity provider are accepted.'),
      assertion_encryption: z
        .enum(ASSERTION_ENCRYPTION)
        .describe(
          'Whether assertions are encrypted for us: `off`, `accepted` (plain ones, too) or `required`. Otherwise than `off`, the metadata holds a certificate for it.',
        ),
      encryption_certificates: z
        .array(CertificateView)
        .describe('The certificates for encryption. The provider uses the first; the second is the former one.'),
    })
    .optional()
    .describe('The SAML identity provider.'),
  oidc: z
    .object({
      issuer: z.string().describe('Issuer of the OpenID Connect provider.'),
      client_id: z.string().describe('Id of the OAuth client.'),
    })
    .optional()
    .describe('The OpenID Connect provider.'),
  sp: SpView.describe('The values to enter at the identity provider.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})
export type SsoView = z.input<typeof SsoView>

export const spView = (tenant_id: string): z.output<typeof SpView> => ({
  entity_id: entityId(tenant_id),
  acs_url: acsUrl(),
  slo_url: sloUrl(),
  name_id_format: EMAIL_FORMAT,
  metadata_url: metadataUrl(tenant_id),
  oidc_redirect_uri: oidcRedirectUri(),
  oidc_scopes: OIDC_SCOPES,
})

export function ssoView({ sp, tenant_id, saml, oidc, _v: version, ...common }: Stored<SsoConfiguration>): SsoView {
  return {
    ...common,
    ...(saml && { saml: samlView(saml, sp) }),
    ...(oidc && { oidc: { issuer: oidc.issuer, client_id: oidc.client_id } }),
    sp: spView(tenant_id),
    version,
  }
}

/** The certificates show which keys there are, so that a rotation leaves a trace in the audit log. */
const samlView = ({ certificates, ...saml }: SamlSettings, { encryption = [] }: SsoConfiguration['sp']) => ({
  ...saml,
  certificates: certificates.map(certificateView),
  encryption_certificates: encryption.map(({ certificate }) => certificateView(certificate)),
})

/** The fields that the audit log compares. */
export const FIELDS = [
  'protocol',
  'enabled',
  'enforce',
  'domains',
  'jit',
  'default_roles',
  'group_attribute',
  'role_mappings',
  'roles_authoritative',
  'trust_idp_mfa',
  'login_redirect_uris',
  'attribute_map',
  'saml',
  'oidc',
] as const
