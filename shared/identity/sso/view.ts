import * as z from 'zod'
import { acsUrl, entityId, metadataUrl, oidcRedirectUri, sloUrl } from './addresses.ts'
import type { Stored } from '../../base/table/entity.ts'
import { certificateView } from './certificate.ts'
import { ASSERTION_ENCRYPTION, type SamlSettings, SsoConfiguration } from './configuration.ts'
import { EMAIL_FORMAT } from './saml-names.ts'

export const OIDC_SCOPES = 'openid email profile'

/** The service provider settings that an administrator enters at the identity provider. */
export const SpView = z.object({
  entity_id: z.string(),
  acs_url: z.string(),
  slo_url: z.string(),
  name_id_format: z.string(),
  metadata_url: z.string(),
  oidc_redirect_uri: z.string(),
  oidc_scopes: z.string(),
})

const CertificateView = z.object({ subject: z.string(), valid_to: z.string(), fingerprint: z.string() })

/** The configuration without its secrets. */
export const SsoView = SsoConfiguration.omit({ tenant_id: true, sp: true, saml: true, oidc: true }).extend({
  saml: z
    .object({
      idp_entity_id: z.string(),
      sso_url: z.string(),
      slo_url: z.string().optional(),
      certificates: z.array(CertificateView),
      allow_idp_initiated: z.boolean(),
      assertion_encryption: z.enum(ASSERTION_ENCRYPTION),
      encryption_certificates: z.array(CertificateView),
    })
    .optional(),
  oidc: z.object({ issuer: z.string(), client_id: z.string() }).optional(),
  sp: SpView,
  version: z.int(),
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
