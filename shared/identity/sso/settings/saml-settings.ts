// The settings of a SAML provider, from single fields or from its metadata (SAML 2.0 Metadata).
import { env } from '../../../base/lib/runtime.ts'
import { invalid } from '../../../base/lib/failure.ts'
import { isLoopback } from '../../../base/lib/redirect-uri.ts'
import { normalisedCertificate, weakness } from '../saml/certificate.ts'
import type { SamlSettings } from './configuration.ts'
import { ENTITY_ID_MAX, type SsoFields } from './fields.ts'
import { METADATA, REDIRECT, SIGNATURE } from '../saml/messages.ts'
import { readSafely } from '../saml/response.ts'
import { childNamed, childrenNamed, type Element, everyElement, readXml, textOf } from '../saml/xml.ts'

const CERTIFICATES_MAX = 3

/** The stored settings of a SAML provider, from single fields or from its metadata. Throws 422 for unusable ones. */
export function samlSettings(given: SsoFields['saml']): SamlSettings {
  if (!given) throw invalid(['saml'], 'The protocol saml needs these settings. Add them.', 'missing')
  const { allow_idp_initiated, assertion_encryption } = given
  const idp = 'metadata_xml' in given ? readIdpMetadata(given.metadata_xml) : given
  const { idp_entity_id, sso_url, slo_url } = idp
  const place = 'metadata_xml' in given ? 'metadata_xml' : undefined
  mustBeAddress(sso_url, place ?? 'sso_url')
  if (slo_url !== undefined) mustBeAddress(slo_url, place ?? 'slo_url')
  const certificates = soundCertificates(idp.certificates, place ?? 'certificates')
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

export type IdpMetadata = {
  idp_entity_id: string
  sso_url: string
  slo_url?: string | undefined
  certificates: string[]
}

const refuseMetadata = (why: string) => invalid(['saml', 'metadata_xml'], why)

/** The certificates are not checked yet. Throws 422 when the metadata describes no usable identity provider. */
function readIdpMetadata(text: string): IdpMetadata {
  return readSafely(() => described(readXml(text, { comments: 'skipped' })), refuseMetadata)
}

function described(root: Element): IdpMetadata {
  const providers = [...everyElement(root)].filter(
    (element) =>
      element.namespace === METADATA &&
      element.name === 'EntityDescriptor' &&
      childrenNamed(element, METADATA, 'IDPSSODescriptor').length > 0,
  )
  const [entity, ...others] = providers
  if (!entity || others.length > 0) throw refuseMetadata('The metadata must describe exactly one identity provider.')
  const idp_entity_id = entity.attributes.get('entityID')?.trim() ?? ''
  if (idp_entity_id === '') throw refuseMetadata('The metadata names no entityID. Add it.')
  if (idp_entity_id.length > ENTITY_ID_MAX)
    throw refuseMetadata(`The entityID is too long. Use at most ${ENTITY_ID_MAX} characters.`)
  const descriptor = childrenNamed(entity, METADATA, 'IDPSSODescriptor')[0]
  const sso_url = redirectLocation(descriptor, 'SingleSignOnService')
  if (sso_url === undefined)
    throw refuseMetadata('The metadata names no SingleSignOnService with the binding HTTP-Redirect. Add one.')
  return {
    idp_entity_id,
    sso_url,
    slo_url: redirectLocation(descriptor, 'SingleLogoutService'),
    certificates: certificatesOf(descriptor),
  }
}

const redirectLocation = (descriptor: Element | undefined, name: string): string | undefined =>
  childrenNamed(descriptor, METADATA, name)
    .find(({ attributes }) => attributes.get('Binding') === REDIRECT)
    ?.attributes.get('Location')

/** A key without `use` is for signing, too. */
const certificatesOf = (descriptor: Element | undefined): string[] =>
  childrenNamed(descriptor, METADATA, 'KeyDescriptor')
    .filter(({ attributes }) => attributes.get('use') !== 'encryption')
    .flatMap((key) => childrenNamed(childNamed(key, SIGNATURE, 'KeyInfo'), SIGNATURE, 'X509Data'))
    .flatMap((data) => childrenNamed(data, SIGNATURE, 'X509Certificate'))
    .flatMap((certificate) => textOf(certificate) ?? [])
