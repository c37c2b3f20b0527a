// Verifies the signature of a SAML response with a library and returns the signed bytes. Everything else is checked
// afterwards, in these bytes only, by our own reader: a second one would refuse what the standard allows, or allow what it refuses.
import { type Profile, SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { X509Certificate } from 'node:crypto'
import { type InvalidMessage, invalidMessage } from '../refusal.ts'
import type { Unverified } from './response.ts'

export type Expected = {
  certificates: readonly string[]
  entity_id: string
  acs: string
}

/** The library without its own reading of assertions. */
class Verifier extends SAML {
  protected override async processValidlySignedAssertionAsync(xml: string) {
    const profile: Profile = { issuer: '', nameID: '', nameIDFormat: '', getAssertionXml: () => xml }
    return { profile, loggedOut: false }
  }
}

/** The signed assertion as XML. Throws 401 when none of the certificates signed it. */
export async function signedAssertion(found: Unverified, expected: Expected): Promise<string> {
  const { certificates, entity_id, acs } = expected
  const library = new Verifier({
    idpCert: [...certificates],
    issuer: entity_id,
    callbackUrl: acs,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    validateInResponseTo: ValidateInResponseTo.never, // the request was found by its id, and `assertion.ts` compares the signed one
  })
  const signed = await library.validatePostResponseAsync({ SAMLResponse: found.encoded }).catch((error: unknown) => {
    throw refusalOf(error, found, expected)
  })
  const xml = signed.profile?.getAssertionXml?.()
  if (xml === undefined) throw invalidMessage('message', 'The response holds no assertion.')
  return xml
}

/** Nothing but the signature is left to be wrong. */
function refusalOf(error: unknown, { fingerprints }: Unverified, expected: Expected): InvalidMessage {
  const known = expected.certificates.map((pem) => new X509Certificate(pem).fingerprint256)
  const [shown] = fingerprints
  if (shown === undefined || fingerprints.some((one) => known.includes(one)))
    return invalidMessage('signature', 'No configured certificate verifies a signature of the assertion.', error)
  const why = `The provider signs with the certificate ${shown}, which is not configured. Configured: ${known.join(', ')}.`
  return invalidMessage('certificate', why, error)
}
