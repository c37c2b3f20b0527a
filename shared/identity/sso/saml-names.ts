// Names of SAML 2.0 and XML Signature.

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
export const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'

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
