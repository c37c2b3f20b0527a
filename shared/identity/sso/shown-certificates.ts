// The certificates that a message shows. They prove nothing, and only tell an administrator which one the provider uses now.
import { createHash } from 'node:crypto'
import { SIGNATURE } from './saml-names.ts'
import { type Element, everyElement, textOf } from './xml.ts'

const SHOWN_MAX = 3

/** SHA-256 in the form in which certificates are shown in the configuration. */
export function fingerprintsIn(root: Element): string[] {
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
