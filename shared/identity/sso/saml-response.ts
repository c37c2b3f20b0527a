// Checks the shape of a SAML response before its signature is verified. Refuses everything that two parsers could read
// differently, so that the signed content and the content that is read later cannot differ.
import { isUtf8 } from 'node:buffer'
import type { Failure } from '../../base/lib/failure.ts'
import { MESSAGE_BYTES_MAX } from './redirect-binding.ts'
import { invalidMessage } from './refusal.ts'
import { ASSERTION, DIGEST_METHODS, PROTOCOL, SIGNATURE, SIGNATURE_METHODS, SUCCESS } from './saml-names.ts'
import { childNamed, childrenNamed, type Element, everyElement, readXml, textOf, XmlError } from './xml.ts'

/** Nothing in it is verified yet. */
export type Unverified = {
  /** The posted base64 without white space, for the library. */
  encoded: string
  in_response_to: string | undefined
  issuer: string | undefined
  audience: string | undefined
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const TRANSFORMS = new Set([
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  'http://www.w3.org/2001/10/xml-exc-c14n#',
])

/** Throws 401 with the reason. `acs`: the only accepted destination. */
export function inspectResponse(posted: string, acs: string): Unverified {
  const encoded = posted.replaceAll(/\s/g, '')
  if (encoded.length > MESSAGE_BYTES_MAX || !BASE64.test(encoded))
    throw invalidMessage('The response is not a SAML message.')
  const bytes = Buffer.from(encoded, 'base64')
  if (!isUtf8(bytes)) throw invalidMessage('The response is not a SAML message.')
  return readSafely(() => inspected(readXml(bytes.toString('utf8')), encoded, acs))
}

/** Runs a function that reads XML. An XmlError becomes a refusal. */
export function readSafely<T>(read: () => T, refuse: (why: string) => Failure = invalidMessage): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof XmlError) throw refuse(`The message ${error.message}.`)
    throw error
  }
}

function inspected(root: Element, encoded: string, acs: string): Unverified {
  if (root.name !== 'Response' || root.namespace !== PROTOCOL)
    throw invalidMessage('The message is not a SAML response.')
  mustBePlain(root)
  const destination = root.attributes.get('Destination')
  if (destination !== undefined && destination !== acs)
    throw invalidMessage('The response is meant for another recipient.')
  mustBeSuccess(root)
  const [assertion, ...others] = [...everyElement(root)].filter(({ name }) => name === 'Assertion')
  if (!assertion || others.length > 0 || !childrenNamed(root, ASSERTION, 'Assertion').includes(assertion)) {
    throw invalidMessage('The response does not hold exactly one assertion.')
  }
  const restriction = childNamed(childNamed(assertion, ASSERTION, 'Conditions'), ASSERTION, 'AudienceRestriction')
  return {
    encoded,
    in_response_to: root.attributes.get('InResponseTo'),
    issuer: textOf(childNamed(root, ASSERTION, 'Issuer')),
    audience: textOf(childrenNamed(restriction, ASSERTION, 'Audience')[0]),
  }
}

const ID_NAMES = ['ID', 'Id', 'id', 'xml:id']

/** Throws 401 for duplicate ids, encrypted parts, and signatures of another shape or algorithm than SAML allows. */
export function mustBePlain(root: Element): void {
  const ids = new Set<string>()
  for (const element of everyElement(root)) {
    for (const id of ID_NAMES.flatMap((name) => element.attributes.get(name) ?? [])) {
      if (ids.has(id)) throw invalidMessage('The message uses an ID twice.')
      ids.add(id)
    }
    if (element.name.startsWith('Encrypted')) throw invalidMessage('The message is encrypted, which is not supported.')
    if (element.name === 'Signature') mustBeUsual(element)
  }
}

/** XML Signature allows much more, which no provider needs and which makes attacks possible. */
function mustBeUsual(signature: Element): void {
  const unusual = invalidMessage('The message is not signed in a way that is accepted.')
  if (signature.namespace !== SIGNATURE) throw unusual
  const all = [...everyElement(signature)]
  const named = (name: string) => all.filter((element) => element.name === name)
  const once = [
    'Signature',
    'SignedInfo',
    'SignatureValue',
    'SignatureMethod',
    'Reference',
    'DigestMethod',
    'DigestValue',
  ]
  if (once.some((name) => named(name).length !== 1) || named('Object').length > 0) throw unusual
  if (['DigestValue', 'SignatureValue'].some((name) => textOf(named(name)[0]) === undefined)) throw unusual
  const algorithmsOf = (name: string) => named(name).map(({ attributes }) => attributes.get('Algorithm') ?? '')
  if (!algorithmsOf('SignatureMethod').every((name) => SIGNATURE_METHODS.has(name))) throw unusual
  if (!algorithmsOf('DigestMethod').every((name) => DIGEST_METHODS.has(name))) throw unusual
  if (!algorithmsOf('Transform').every((name) => TRANSFORMS.has(name))) throw unusual
}

function mustBeSuccess(root: Element): void {
  const code = childNamed(childNamed(root, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode')
  if (code?.attributes.get('Value') !== SUCCESS) throw invalidMessage('The identity provider did not sign you in.')
}
