// Checks the shape of a SAML response before its signature is verified. Refuses everything that two parsers could read
// differently, so that the signed content and the content that is read later cannot differ.
import { isUtf8 } from 'node:buffer'
import type { Failure } from '../../../base/lib/failure.ts'
import { MESSAGE_BYTES_MAX } from './redirect-binding.ts'
import { invalidMessage, seen } from '../refusal.ts'
import { ASSERTION, DIGEST_METHODS, PROTOCOL, SIGNATURE, SIGNATURE_METHODS, SUCCESS } from './messages.ts'
import { childNamed, childrenNamed, type Element, everyElement, readXml, textOf, XmlError } from './xml.ts'
import { createHash } from 'node:crypto'

/** A response that all parsers read alike. Nothing in it is verified yet. */
export type Message = {
  /** The posted base64 without white space, for the library. */
  encoded: string
  root: Element
  in_response_to: string | undefined
}

/** Nothing in it is verified yet. */
export type Unverified = Pick<Message, 'encoded' | 'in_response_to'> & {
  issuer: string | undefined
  /** Names that every audience restriction of the assertion allows. */
  audiences: string[]
  /** SHA-256 of the certificates that the message says it is signed with. */
  fingerprints: string[]
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const TRANSFORMS = new Set([
  'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  'http://www.w3.org/2001/10/xml-exc-c14n#',
])

/** Throws 401 with the reason. */
export function openResponse(posted: string): Message {
  const encoded = posted.replaceAll(/\s/g, '')
  if (encoded.length > MESSAGE_BYTES_MAX || !BASE64.test(encoded))
    throw invalidMessage('message', 'The response is not a SAML message.')
  const bytes = Buffer.from(encoded, 'base64')
  if (!isUtf8(bytes)) throw invalidMessage('message', 'The response is not a SAML message.')
  return readSafely(() => opened(readXml(bytes.toString('utf8')), encoded))
}

/**
 * For a message whose tenant is known, so that its administrators learn the reason. Throws 401. `acs`: the only accepted
 * destination.
 */
export const inspectResponse = (message: Message, acs: string): Unverified => readSafely(() => inspected(message, acs))

const unreadable = (why: string) => invalidMessage('message', why)

/** Runs a function that reads XML. An XmlError becomes a refusal. */
export function readSafely<T>(read: () => T, refuse: (why: string) => Failure = unreadable): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof XmlError) throw refuse(`The message ${error.message}.`)
    throw error
  }
}

function opened(root: Element, encoded: string): Message {
  if (root.name !== 'Response' || root.namespace !== PROTOCOL)
    throw invalidMessage('message', 'The message is not a SAML response.')
  mustBePlain(root, 'in an assertion')
  return { encoded, root, in_response_to: root.attributes.get('InResponseTo') }
}

function inspected({ root, ...message }: Message, acs: string): Unverified {
  mustBePlain(root)
  const destination = root.attributes.get('Destination')
  if (destination !== undefined && destination !== acs)
    throw invalidMessage('destination', `The Destination of the response is ${seen(destination)} and not ${acs}.`)
  mustBeSuccess(root)
  const [assertion, ...others] = [...everyElement(root)].filter(({ name }) => name === 'Assertion')
  if (!assertion || others.length > 0 || !childrenNamed(root, ASSERTION, 'Assertion').includes(assertion)) {
    throw invalidMessage('message', 'The response does not hold exactly one assertion.')
  }
  return {
    ...message,
    issuer: textOf(childNamed(root, ASSERTION, 'Issuer')),
    fingerprints: fingerprintsIn(root),
    audiences: audiencesOf(childNamed(assertion, ASSERTION, 'Conditions')),
  }
}

/**
 * The audiences that an assertion is meant for (SAML 2.0 Core, section 2.5.1.4): each restriction allows any of its names, and all
 * restrictions must allow it. Empty without a restriction.
 */
export function audiencesOf(conditions: Element | undefined): string[] {
  const [first = [], ...others] = childrenNamed(conditions, ASSERTION, 'AudienceRestriction').map((restriction) =>
    childrenNamed(restriction, ASSERTION, 'Audience').flatMap((one) => textOf(one) ?? []),
  )
  return [...new Set(first)].filter((name) => others.every((names) => names.includes(name)))
}

const ID_NAMES = ['ID', 'Id', 'id', 'xml:id']

/** Throws 401 for duplicate ids, encrypted parts, and signatures of another shape or algorithm than SAML allows. */
export function mustBePlain(root: Element, encrypted: 'refused' | 'in an assertion' = 'refused'): void {
  const ids = new Set<string>()
  for (const element of everyElement(root)) {
    for (const id of ID_NAMES.flatMap((name) => element.attributes.get(name) ?? [])) {
      if (ids.has(id)) throw invalidMessage('message', 'The message uses an ID twice.')
      ids.add(id)
    }
    if (encrypted === 'refused' && element.name.startsWith('Encrypted'))
      throw invalidMessage('encryption', 'The message is encrypted in a way that is not accepted.')
    if (element.name === 'Signature') mustBeUsual(element)
  }
}

/** XML Signature allows much more, which no provider needs and which makes attacks possible. */
function mustBeUsual(signature: Element): void {
  const unusual = invalidMessage('signature', 'The message is not signed in a way that is accepted.')
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
  if (code?.attributes.get('Value') !== SUCCESS)
    throw invalidMessage(
      'status',
      `The identity provider signed nobody in; it says ${seen(code?.attributes.get('Value'))}.`,
    )
}

const SHOWN_MAX = 3

/**
 * SHA-256 of the certificates in a message, in the form in which the configuration shows certificates. They prove nothing. They only
 * show an administrator which one the provider uses now.
 */
function fingerprintsIn(root: Element): string[] {
  const shown = [...everyElement(root)].filter(
    ({ name, namespace }) => name === 'X509Certificate' && namespace === SIGNATURE,
  )
  return [...new Set(shown.flatMap((one) => textOf(one) ?? []))].slice(0, SHOWN_MAX).map(fingerprint)
}

const fingerprint = (base64: string): string =>
  createHash('sha256')
    .update(Buffer.from(base64, 'base64'))
    .digest('hex')
    .toUpperCase()
    .replaceAll(/..(?!$)/g, '$&:')
