// Reads the logout messages of a SAML provider. Their signature is checked afterwards, since the tenant's certificates are
// found by the content of the message.
import { iso } from '../../base/lib/clock.ts'
import { sloUrl } from './addresses.ts'
import { inflated, type SignedQuery } from './redirect-binding.ts'
import { invalidMessage } from './refusal.ts'
import { ASSERTION, PROTOCOL } from './saml-names.ts'
import { mustBePlain, readSafely } from './saml-response.ts'
import { childNamed, type Element, readXml, textOf } from './xml.ts'

const SKEW_MS = 60_000
const AGE_MAX_MS = 600_000

/** Nothing in it is verified yet. */
export type LogoutMessage = {
  kind: SignedQuery['kind']
  id: string
  issuer: string
  in_response_to: string | undefined
  name_id: string | undefined
  session_index: string | undefined
  /** ms; a second use before this time must be refused. */
  until: number
}

/** Throws 401 for a message that is not about a sign-out, is meant for another recipient, or is too old at `now` (ms). */
export function readLogoutMessage({ kind, value }: SignedQuery, now: number): LogoutMessage {
  const text = inflated(value)
  if (text === undefined) throw invalidMessage('message', 'The message cannot be read.')
  return readSafely(() => described(readXml(text), kind, now))
}

function described(root: Element, kind: SignedQuery['kind'], now: number): LogoutMessage {
  const isOurs =
    root.namespace === PROTOCOL && root.name === (kind === 'SAMLRequest' ? 'LogoutRequest' : 'LogoutResponse')
  const id = root.attributes.get('ID')
  const issuer = textOf(childNamed(root, ASSERTION, 'Issuer'))
  if (!isOurs || !id || issuer === undefined) throw invalidMessage('message', 'The message is not about a sign-out.')
  mustBePlain(root)
  const destination = root.attributes.get('Destination')
  if (destination !== undefined && destination !== sloUrl())
    throw invalidMessage('destination', 'The message is meant for another recipient.')
  const nameId = childNamed(root, ASSERTION, 'NameID')
  return {
    kind,
    id,
    issuer,
    in_response_to: root.attributes.get('InResponseTo'),
    name_id: textOf(nameId),
    session_index: textOf(childNamed(root, PROTOCOL, 'SessionIndex')),
    until: freshUntil(root, now),
  }
}

/** The end of the message's validity: its own end, but at most ten minutes after it was issued. */
function freshUntil(root: Element, now: number): number {
  const at = (name: string) => Date.parse(root.attributes.get(name) ?? '')
  const issued = at('IssueInstant')
  const end = root.attributes.has('NotOnOrAfter') ? at('NotOnOrAfter') : Number.POSITIVE_INFINITY
  const until = Math.min(issued + AGE_MAX_MS, end)
  if (!(issued <= now + SKEW_MS) || !(until + SKEW_MS > now)) {
    throw invalidMessage('time', `The message is too old or not valid yet (it is ${iso(now)}).`)
  }
  return until
}
