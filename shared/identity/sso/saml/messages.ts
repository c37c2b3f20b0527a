// The messages that go to SAML identity providers (metadata, sign-in requests, logout requests and logout responses), and the names
// of SAML 2.0 and XML Signature.
import { acsUrl, entityId, sloUrl } from '../addresses.ts'
import { certificateBody } from './certificate.ts'
import { xml } from './xml.ts'

export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'

export const ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc#'
export const ENCRYPTION_11 = 'http://www.w3.org/2009/xmlenc11#'

export const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
export const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'

const RSA = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha'
const ECDSA = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha'

/** Accepted signature algorithms → the name of their digest in Node. */
export const SIGNATURE_METHODS: ReadonlyMap<string, string> = new Map(
  [RSA, ECDSA].flatMap((name) => [256, 384, 512].map((bits) => [`${name}${bits}`, `sha${bits}`] as const)),
)

export const DIGEST_METHODS: ReadonlySet<string> = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512',
])

export const RSA_SHA256 = `${RSA}256`

/** Authentication contexts that imply two factors. */
export const MULTI_FACTOR: ReadonlySet<string> = new Set([
  'https://refeds.org/profile/mfa',
  'http://schemas.microsoft.com/claims/multipleauthn',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorContract',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorUnregistered',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:SmartcardPKI',
])

type Published = { tenant_id: string; certificate: string; encryption?: string | undefined }

/** The metadata of a tenant's service provider. `encryption`: the certificate for encrypted assertions. Without one, providers that read this send plain ones. */
export const metadataOf = ({ tenant_id, certificate, encryption }: Published): string =>
  [
    xml`<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${entityId(tenant_id)}">
  <md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${PROTOCOL}">
    <md:KeyDescriptor use="signing">
      `,
    keyInfo(certificate),
    xml`
    </md:KeyDescriptor>`,
    encryption === undefined ? '' : encryptionKey(encryption),
    xml`
    <md:SingleLogoutService Binding="${REDIRECT}" Location="${sloUrl()}"/>
    <md:NameIDFormat>${EMAIL_FORMAT}</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${POST}" Location="${acsUrl()}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`,
  ].join('')

const keyInfo = (certificate: string): string =>
  xml`<ds:KeyInfo xmlns:ds="${SIGNATURE}"><ds:X509Data><ds:X509Certificate>${certificateBody(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`

/** GCM first, because it is what a provider should choose. */
const METHODS = [
  `${ENCRYPTION_11}aes256-gcm`,
  `${ENCRYPTION_11}aes128-gcm`,
  `${ENCRYPTION}aes256-cbc`,
  `${ENCRYPTION}rsa-oaep-mgf1p`,
]

const encryptionKey = (certificate: string): string =>
  `
    <md:KeyDescriptor use="encryption">
      ${keyInfo(certificate)}
      ${METHODS.map((name) => xml`<md:EncryptionMethod Algorithm="${name}"/>`).join('')}
    </md:KeyDescriptor>`

/** `at` in ISO 8601. */
export type Envelope = { id: string; at: string; destination: string; tenant_id: string }

export const authnRequest = ({ id, at, destination, tenant_id }: Envelope): string =>
  xml`<samlp:AuthnRequest xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${id}" Version="2.0" IssueInstant="${at}" Destination="${destination}" ProtocolBinding="${POST}" AssertionConsumerServiceURL="${acsUrl()}"><saml:Issuer>${entityId(tenant_id)}</saml:Issuer><samlp:NameIDPolicy Format="${EMAIL_FORMAT}" AllowCreate="true"/></samlp:AuthnRequest>`

type Subject = { name_id: string; session_index?: string | undefined }

export const logoutRequest = (
  { id, at, destination, tenant_id }: Envelope,
  { name_id, session_index }: Subject,
): string => {
  const index = session_index === undefined ? '' : xml`<samlp:SessionIndex>${session_index}</samlp:SessionIndex>`
  const start = xml`<samlp:LogoutRequest xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${id}" Version="2.0" IssueInstant="${at}" Destination="${destination}"><saml:Issuer>${entityId(tenant_id)}</saml:Issuer><saml:NameID Format="${EMAIL_FORMAT}">${name_id}</saml:NameID>`
  return `${start}${index}</samlp:LogoutRequest>`
}

export const logoutResponse = ({ id, at, destination, tenant_id }: Envelope, in_response_to: string): string =>
  xml`<samlp:LogoutResponse xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${id}" Version="2.0" IssueInstant="${at}" Destination="${destination}" InResponseTo="${in_response_to}"><saml:Issuer>${entityId(tenant_id)}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status></samlp:LogoutResponse>`
