// An identity provider that says and signs whatever a test wants. Its XML is written in canonical form (exclusive C14N), so
// that it can be digested and signed without a library.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { iso } from '../../../shared/base/lib/clock.ts'
import { newSpKey } from '../../../shared/identity/sso/settings/encryption-keys.ts'

export type Key = { private_key: string; certificate: string }

export const newKey = (): Promise<Key> => newSpKey('idp', Date.parse('2026-01-01'))

export const IDP = 'https://idp.example/entity'
export const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

const DS = 'http://www.w3.org/2000/09/xmldsig#'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64')

/** All that an assertion says; a good one, unless a test changes it. */
export type Said = {
  id: string
  issuer: string
  name_id: string
  format: string
  audience: string
  recipient: string
  in_response_to: string | undefined
  issued: string
  not_before: string
  not_on_or_after: string
  confirmed_until: string
  session_index: string
  session_end?: string
  context: string
  attributes: Record<string, string | string[]>
  /** More elements of the Conditions. */
  conditions?: string
  /** Confirmations before the good one. */
  confirmations?: string
}

let count = 0

type Basis = { now: number; audience: string; recipient: string; in_response_to?: string | undefined; name_id: string }

export function good({ now, ...basis }: Basis): Said {
  count += 1
  const end = iso(now + 300_000)
  return {
    in_response_to: undefined,
    ...basis,
    id: `_assertion-${count}`,
    issuer: IDP,
    format: EMAIL,
    issued: iso(now),
    not_before: iso(now - 5_000),
    not_on_or_after: end,
    confirmed_until: end,
    session_index: `_session-${count}`,
    context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    attributes: { displayName: 'Anna Example' },
  }
}

/** An audience restriction that names all of these. */
export const restriction = (...names: string[]): string =>
  `<saml:AudienceRestriction>${names.map((name) => `<saml:Audience>${name}</saml:Audience>`).join('')}</saml:AudienceRestriction>`

const attribute = (name: string, value: string | undefined) => (value === undefined ? '' : ` ${name}="${value}"`)

const valueElement = (value: string) => `<saml:AttributeValue>${value}</saml:AttributeValue>`

export function assertion(said: Said, signature = ''): string {
  const attributes = Object.entries(said.attributes).map(
    ([name, value]) => `<saml:Attribute Name="${name}">${[value].flat().map(valueElement).join('')}</saml:Attribute>`,
  )
  const confirmation = `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData${attribute('InResponseTo', said.in_response_to)} NotOnOrAfter="${said.confirmed_until}" Recipient="${said.recipient}"></saml:SubjectConfirmationData></saml:SubjectConfirmation>`
  return [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${said.id}" IssueInstant="${said.issued}" Version="2.0">`,
    `<saml:Issuer>${said.issuer}</saml:Issuer>${signature}`,
    `<saml:Subject><saml:NameID Format="${said.format}">${said.name_id}</saml:NameID>${said.confirmations ?? ''}${confirmation}</saml:Subject>`,
    `<saml:Conditions NotBefore="${said.not_before}" NotOnOrAfter="${said.not_on_or_after}"><saml:AudienceRestriction><saml:Audience>${said.audience}</saml:Audience></saml:AudienceRestriction>${said.conditions ?? ''}</saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${said.issued}" SessionIndex="${said.session_index}"${attribute('SessionNotOnOrAfter', said.session_end)}><saml:AuthnContext><saml:AuthnContextClassRef>${said.context}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>`,
    '</saml:Assertion>',
  ].join('')
}

export type Signing = {
  key: Key
  /** Shown in KeyInfo. */
  shown?: string
  signature_method?: string
  digest_method?: string
  /** In place of the digest or of the signature. */
  digest?: string
  sign?: (signedInfo: string) => string
  /** Put behind the reference. */
  more_references?: string
  /** Around the end of the signature. */
  object?: string
  signed_info_twice?: string
}

/** The signature of an element that is already in canonical form. */
export function signatureOf(id: string, canonical: string, signing: Signing): string {
  const {
    key,
    shown,
    signature_method = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digest_method = 'http://www.w3.org/2001/04/xmlenc#sha256',
    digest = sha256(canonical),
    more_references = '',
    object = '',
    signed_info_twice = '',
  } = signing
  const signedInfo = (namespace: string) =>
    `<ds:SignedInfo${namespace}><ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${signature_method}"></ds:SignatureMethod><ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="${DS}enveloped-signature"></ds:Transform><ds:Transform Algorithm="${EXCLUSIVE}"></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="${digest_method}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>${more_references}</ds:SignedInfo>`
  const value = (signing.sign ?? ((text) => sign('sha256', Buffer.from(text), key.private_key).toString('base64')))(
    signedInfo(` xmlns:ds="${DS}"`),
  )
  const keyInfo =
    shown === undefined
      ? ''
      : `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${shown.replaceAll(/-----\w+ CERTIFICATE-----|\s/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`
  return `<ds:Signature xmlns:ds="${DS}">${signedInfo('')}${signed_info_twice}<ds:SignatureValue>${value}</ds:SignatureValue>${keyInfo}${object}</ds:Signature>`
}

/** With its signature where SAML wants it. */
export const signedAssertion = (said: Said, signing: Signing): string =>
  assertion(said, signatureOf(said.id, assertion(said), signing))

export type Envelope = {
  id?: string
  destination?: string | undefined
  in_response_to?: string | undefined
  issuer?: string
  status?: string
  /** Before the status. */
  extensions?: string
}

export function response(content: string, envelope: Envelope, signature = ''): string {
  const { id = `_response-${(count += 1)}`, destination, in_response_to, issuer = IDP, extensions = '' } = envelope
  const status = envelope.status ?? 'urn:oasis:names:tc:SAML:2.0:status:Success'
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"${attribute('Destination', destination)} ID="${id}"${attribute('InResponseTo', in_response_to)} IssueInstant="2026-11-20T00:00:00Z" Version="2.0"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${issuer}</saml:Issuer>${signature}${extensions}<samlp:Status><samlp:StatusCode Value="${status}"></samlp:StatusCode></samlp:Status>${content}</samlp:Response>`
}

export const encoded = (text: string): string => Buffer.from(text).toString('base64')

export const weakKey = () => generateKeyPairSync('rsa', { modulusLength: 1_024 })
