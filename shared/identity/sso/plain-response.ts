// A response with a decrypted assertion, written anew with nothing but what is checked. All checks of plain responses then run
// on it: nothing is believed because it was encrypted, since everybody can encrypt for us.
import { decryptedAssertion } from './decrypt.ts'
import { ASSERTION, PROTOCOL } from './saml-names.ts'
import { type Message, openResponse, readSafely } from './saml-response.ts'
import { childNamed, type Element, textOf, xml } from './xml.ts'

const encryptedIn = ({ root }: Message): Element | undefined => childNamed(root, ASSERTION, 'EncryptedAssertion')

export const isEncrypted = (message: Message): boolean => readSafely(() => encryptedIn(message) !== undefined)

/** Throws 401. The signature of the response covers what was encrypted, so it ends here; that of the assertion counts. */
export function plainResponse(message: Message, private_keys: readonly string[]): Message {
  return readSafely(() => {
    const { root } = message
    const encrypted = encryptedIn(message)
    const assertion = encrypted ? decryptedAssertion(encrypted, private_keys) : ''
    const text = `${openingOf(root)}${assertion}</samlp:Response>`
    return openResponse(Buffer.from(text).toString('base64'))
  })
}

function openingOf(root: Element): string {
  const { attributes } = root
  const kept = ['ID', 'InResponseTo', 'Destination', 'IssueInstant', 'Version'].flatMap((name) => {
    const value = attributes.get(name)
    return value === undefined ? [] : [` ${name}="${xml`${value}`}"`]
  })
  const issuer = textOf(childNamed(root, ASSERTION, 'Issuer'))
  const code = childNamed(childNamed(root, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode')
  const status = code?.attributes.get('Value') ?? ''
  return [
    xml`<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}"`,
    `${kept.join('')}>`,
    issuer === undefined ? '' : xml`<saml:Issuer>${issuer}</saml:Issuer>`,
    xml`<samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>`,
  ].join('')
}
