// Whom an ID token names, after it was verified, and whether this provider may name that person (OpenID Connect Core,
// section 5.1).
import type { SsoConfiguration } from './configuration.ts'
import { fullName } from './person-name.ts'
import { notAdmitted } from './refusal.ts'
import type { Assurance } from './assurance.ts'

export type Claims = { iss: string; sub: string } & Readonly<Record<string, unknown>>

/** RFC 8176: two factors, or one that is a thing. */
const STRONG = new Set(['mfa', 'hwk', 'swk', 'otp'])
const AMR = /^[\w-]{1,20}$/
const AMR_MAX = 8

/** Anybody makes accounts there with any address; only those of an organisation carry its domain. */
const WITH_CONSUMERS = new Set(['https://accounts.google.com'])

/** Throws 403 for a person without an address that the provider stands for. */
export function personOf(claims: Claims, { attribute_map, domains }: SsoConfiguration): Assurance {
  const { iss, sub, email, email_verified, hd } = claims
  if (typeof email !== 'string') throw notAdmitted('The identity provider sends no e-mail address.')
  if (email_verified === false || email_verified === 'false') {
    throw notAdmitted('The identity provider has not verified the e-mail address.')
  }
  const hosted = hd !== undefined || WITH_CONSUMERS.has(iss)
  if (hosted && !(typeof hd === 'string' && domains.includes(hd.toLowerCase()))) {
    throw notAdmitted('The account belongs to another organisation.')
  }
  const amr = Array.isArray(claims.amr) ? claims.amr.filter((one) => typeof one === 'string' && AMR.test(one)) : []
  const texts = Object.entries(claims).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, [value]] as const] : [],
  )
  return {
    email,
    name: fullName(new Map(texts), attribute_map),
    subject: { issuer: iss, sub },
    amr: ['sso', ...amr.slice(0, AMR_MAX)],
    mfa: amr.some((one) => STRONG.has(one)),
    attributes: Object.keys(claims),
  }
}
