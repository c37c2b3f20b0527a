// Reads the settings of an identity provider from its metadata (SAML 2.0 Metadata).
import { invalid } from '../../base/lib/failure.ts'
import { ENTITY_ID_MAX } from './fields.ts'
import { METADATA, REDIRECT, SIGNATURE } from './saml-names.ts'
import { readSafely } from './saml-response.ts'
import { childNamed, childrenNamed, type Element, everyElement, readXml, textOf } from './xml.ts'

export type IdpMetadata = {
  idp_entity_id: string
  sso_url: string
  slo_url?: string | undefined
  certificates: string[]
}

const refuse = (why: string) => invalid(['saml', 'metadata_xml'], why)

/** The certificates are not checked yet. Throws 422 when the metadata describes no usable identity provider. */
export function readIdpMetadata(text: string): IdpMetadata {
  return readSafely(() => described(readXml(text, { comments: 'skipped' })), refuse)
}

function described(root: Element): IdpMetadata {
  const providers = [...everyElement(root)].filter(
    (element) =>
      element.namespace === METADATA &&
      element.name === 'EntityDescriptor' &&
      childrenNamed(element, METADATA, 'IDPSSODescriptor').length > 0,
  )
  const [entity, ...others] = providers
  if (!entity || others.length > 0) throw refuse('The metadata must describe exactly one identity provider.')
  const idp_entity_id = entity.attributes.get('entityID')?.trim() ?? ''
  if (idp_entity_id === '') throw refuse('The metadata names no entityID. Add it.')
  if (idp_entity_id.length > ENTITY_ID_MAX)
    throw refuse(`The entityID is too long. Use at most ${ENTITY_ID_MAX} characters.`)
  const descriptor = childrenNamed(entity, METADATA, 'IDPSSODescriptor')[0]
  const sso_url = redirectLocation(descriptor, 'SingleSignOnService')
  if (sso_url === undefined)
    throw refuse('The metadata names no SingleSignOnService with the binding HTTP-Redirect. Add one.')
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
