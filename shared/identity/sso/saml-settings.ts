import { env } from '../../base/lib/env.ts'
import { invalid } from '../../base/lib/failure.ts'
import { isLoopback } from '../../base/lib/redirect-uri.ts'
import { normalisedCertificate, weakness } from './certificate.ts'
import type { SamlSettings } from './configuration.ts'
import type { SsoFields } from './fields.ts'
import { readIdpMetadata } from './idp-metadata.ts'

const CERTIFICATES_MAX = 3

/** The stored settings of a SAML provider, from single fields or from its metadata. Throws 422 for unusable ones. */
export function samlSettings(given: SsoFields['saml']): SamlSettings {
  if (!given) throw invalid(['saml'], 'The protocol saml needs these settings. Add them.', 'missing')
  const { allow_idp_initiated, assertion_encryption } = given
  const described = 'metadata_xml' in given ? readIdpMetadata(given.metadata_xml) : given
  const { idp_entity_id, sso_url, slo_url } = described
  const place = 'metadata_xml' in given ? 'metadata_xml' : undefined
  mustBeAddress(sso_url, place ?? 'sso_url')
  if (slo_url !== undefined) mustBeAddress(slo_url, place ?? 'slo_url')
  const certificates = soundCertificates(described.certificates, place ?? 'certificates')
  return { idp_entity_id, sso_url, slo_url, certificates, allow_idp_initiated, assertion_encryption }
}

/** Browsers are redirected there; the service itself does not call it. On a developer's machine it may be an http URL of that machine. */
function mustBeAddress(text: string, field: string): void {
  const url = URL.parse(text)
  const isLocal = url !== null && isLoopback(url) && env('BASE_URL').startsWith('http:')
  if (!url || (url.protocol !== 'https:' && !isLocal))
    throw invalid(['saml', field], 'The URL must begin with https://.')
  if (url.username !== '' || url.hash !== '')
    throw invalid(['saml', field], 'The URL must hold no credentials and no fragment.')
}

function soundCertificates(given: readonly string[], field: string): string[] {
  const refuse = (why: string) => invalid(['saml', field], why)
  const certificates = [...new Set(given.map((text) => normalisedCertificate(text)))]
  const sound = certificates.filter((pem) => pem !== undefined)
  if (sound.length !== certificates.length)
    throw refuse('A certificate cannot be read. Give X.509 certificates as PEM or base64.')
  if (sound.length === 0 || sound.length > CERTIFICATES_MAX) throw refuse(`Give 1 to ${CERTIFICATES_MAX} certificates.`)
  const weak = sound.flatMap((pem) => weakness(pem) ?? [])[0]
  if (weak) throw refuse(weak)
  return sound
}
