// Checks a signed assertion (SAML 2.0 Profiles, section 4.1.4). Pure, and reads only the signed bytes of the message.
import { iso } from '../../../base/lib/clock.ts'
import type { AttributeMap } from '../settings/configuration.ts'
import { invalidMessage, type InvalidMessage, notAdmitted, seen } from '../refusal.ts'
import { audiencesOf, readSafely } from './response.ts'
import { ASSERTION, BEARER, EMAIL_FORMAT, MULTI_FACTOR } from './messages.ts'
import { childNamed, childrenNamed, type Element, readXml, textOf } from './xml.ts'
import { fullName, type Values } from '../oidc/attributes.ts'

const SKEW_MS = 60_000
const AGE_MAX_MS = 600_000

export type Circumstances = {
  idp_entity_id: string
  entity_id: string
  acs: string
  in_response_to: string | undefined
  attribute_map: AttributeMap
  /** ms */
  now: number
}

export type Asserted = {
  id: string
  /** ms; a second use before this time must be refused. */
  not_on_or_after: number
  name_id: string
  session_index: string | undefined
  /** ISO 8601; the session must end by then. */
  session_cap: string | undefined
  mfa: boolean
  name: string | undefined
  attributes: Values
}

/** Throws 401 or 403 with the reason. */
export const readAssertion = (xml: string, expected: Circumstances): Asserted =>
  readSafely(() => believed(readXml(xml), expected))

function believed(assertion: Element, expected: Circumstances): Asserted {
  const id = assertion.attributes.get('ID')
  if (assertion.name !== 'Assertion' || assertion.namespace !== ASSERTION || !id) {
    throw invalidMessage('message', 'The signed element is not an assertion.')
  }
  if (textOf(childNamed(assertion, ASSERTION, 'Issuer')) !== expected.idp_entity_id) {
    throw invalidMessage('issuer', `The Issuer of the assertion is not ${expected.idp_entity_id}.`)
  }
  mustBeFresh(assertion, expected)
  mustBeForUs(assertion, expected)
  const subject = childNamed(assertion, ASSERTION, 'Subject')
  const not_on_or_after = confirmedUntil(subject, expected)
  const statement = childrenNamed(assertion, ASSERTION, 'AuthnStatement')[0]
  if (!statement) throw invalidMessage('message', 'The assertion holds no statement about a sign-in.')
  const attributes = attributesOf(assertion)
  return {
    id,
    not_on_or_after,
    name_id: nameIdOf(subject),
    session_index: statement.attributes.get('SessionIndex'),
    session_cap: sessionCap(statement, expected.now),
    mfa: isMultiFactor(statement, attributes),
    name: fullName(attributes, expected.attribute_map),
    attributes,
  }
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** In ms; undefined when absent. SAML allows only UTC. */
function instant(element: Element | undefined, name: string): number | undefined {
  const text = element?.attributes.get(name)
  if (text === undefined) return undefined
  const at = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw invalidMessage('time', 'The assertion holds a time that is not valid.')
  return at
}

function mustBeFresh(assertion: Element, { now }: Circumstances): void {
  const issued = instant(assertion, 'IssueInstant')
  if (issued === undefined) throw invalidMessage('time', 'The assertion does not say when it was issued.')
  if (issued > now + SKEW_MS) throw early(issued, now)
  if (issued + AGE_MAX_MS + SKEW_MS <= now) throw late('was issued at', issued, now)
}

function mustBeForUs(assertion: Element, { entity_id, now }: Circumstances): void {
  const conditions = childNamed(assertion, ASSERTION, 'Conditions')
  mustBeUnderstood(conditions)
  if (!audiencesOf(conditions).includes(entity_id)) throw otherAudience(conditions, entity_id)
  const from = instant(conditions, 'NotBefore') ?? Number.NEGATIVE_INFINITY
  const until = instant(conditions, 'NotOnOrAfter') ?? Number.POSITIVE_INFINITY
  if (from > now + SKEW_MS) throw early(from, now)
  if (until + SKEW_MS <= now) throw late('ended at', until, now)
}

/** The conditions that the standard names. The other two are always met here: an assertion counts once and is passed on to nobody. */
const UNDERSTOOD: readonly string[] = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction']

/** An assertion under a condition that its reader does not know is not valid (SAML 2.0 Core, section 2.5.1.1). */
function mustBeUnderstood(conditions: Element | undefined): void {
  const other = conditions?.children.find(
    ({ name, namespace }) => namespace !== ASSERTION || !UNDERSTOOD.includes(name),
  )
  if (other) throw invalidMessage('message', `The assertion has the condition ${seen(other.name)}, which is not known.`)
}

function otherAudience(conditions: Element | undefined, entity_id: string): InvalidMessage {
  const restrictions = childrenNamed(conditions, ASSERTION, 'AudienceRestriction')
  const names = restrictions.flatMap((one) => childrenNamed(one, ASSERTION, 'Audience').map(textOf))
  if (names.includes(entity_id))
    return invalidMessage('audience', `Not every audience restriction of the assertion names ${entity_id}.`)
  return invalidMessage('audience', `The audience is ${seen(names[0])} and not ${entity_id}.`)
}

/** The latest end of the bearer confirmations for this request. Throws 401 when there is none. */
function confirmedUntil(subject: Element | undefined, { acs, in_response_to, now }: Circumstances): number {
  const ends = childrenNamed(subject, ASSERTION, 'SubjectConfirmation').flatMap((confirmation) => {
    const data = childNamed(confirmation, ASSERTION, 'SubjectConfirmationData')
    const until = instant(data, 'NotOnOrAfter')
    const isOurs =
      confirmation.attributes.get('Method') === BEARER &&
      data?.attributes.get('Recipient') === acs &&
      data.attributes.get('InResponseTo') === in_response_to &&
      !data.attributes.has('NotBefore')
    return isOurs && until !== undefined && until + SKEW_MS > now ? [until] : []
  })
  if (ends.length === 0 && !answersRequest(subject, in_response_to))
    throw invalidMessage('request', 'The response or its assertion answers another request.')
  if (ends.length === 0)
    throw invalidMessage('confirmation', 'The assertion is not confirmed for this sign-in, or has expired.')
  return Math.max(...ends)
}

/** Whether any confirmation names the request, or none where the provider began. */
const answersRequest = (subject: Element | undefined, in_response_to: string | undefined): boolean =>
  childrenNamed(subject, ASSERTION, 'SubjectConfirmation').some((confirmation) => {
    const data = childNamed(confirmation, ASSERTION, 'SubjectConfirmationData')
    return data?.attributes.get('InResponseTo') === in_response_to
  })

function nameIdOf(subject: Element | undefined): string {
  const nameId = childNamed(subject, ASSERTION, 'NameID')
  const text = textOf(nameId)
  if (text === undefined) throw invalidMessage('message', 'The assertion names no person.')
  if (nameId?.attributes.get('Format') !== EMAIL_FORMAT) {
    throw notAdmitted('The identity provider must name people by their e-mail address (NameID format emailAddress).')
  }
  return text
}

function sessionCap(statement: Element, now: number): string | undefined {
  const end = instant(statement, 'SessionNotOnOrAfter')
  if (end === undefined) return undefined
  if (end <= now) throw invalidMessage('time', 'The session at the identity provider has ended.')
  return iso(end)
}

function attributesOf(assertion: Element): Values {
  const values = new Map<string, string[]>()
  for (const statement of childrenNamed(assertion, ASSERTION, 'AttributeStatement')) {
    for (const attribute of childrenNamed(statement, ASSERTION, 'Attribute')) {
      const texts = childrenNamed(attribute, ASSERTION, 'AttributeValue').flatMap((value) => textOf(value) ?? [])
      const name = attribute.attributes.get('Name') ?? ''
      values.set(name, [...(values.get(name) ?? []), ...texts])
    }
  }
  return values
}

const METHODS = 'http://schemas.microsoft.com/claims/authnmethodsreferences'

/** Whether the assertion says that the person has shown two factors. */
function isMultiFactor(statement: Element, attributes: Values): boolean {
  const context = childNamed(statement, ASSERTION, 'AuthnContext')
  const named = textOf(childNamed(context, ASSERTION, 'AuthnContextClassRef'))
  return [named ?? '', ...(attributes.get(METHODS) ?? [])].some((one) => MULTI_FACTOR.has(one))
}

/** Refusals of messages for their times name both times (ms), since a wrong clock is the usual cause. */
const early = (at: number, now: number): InvalidMessage =>
  invalidMessage('time', `The assertion is valid from ${iso(at)} on, and here it is ${iso(now)}. Compare the clocks.`)

/** `what`: what happened at that time. */
const late = (what: string, at: number, now: number): InvalidMessage =>
  invalidMessage('time', `The assertion ${what} ${iso(at)}, and here it is ${iso(now)}. Compare the clocks.`)
