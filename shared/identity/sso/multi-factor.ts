// Whether an assertion says that the person has shown two factors.
import { ASSERTION, MULTI_FACTOR } from './saml-names.ts'
import type { Values } from './person-name.ts'
import { childNamed, type Element, textOf } from './xml.ts'

const METHODS = 'http://schemas.microsoft.com/claims/authnmethodsreferences'

export function isMultiFactor(statement: Element, attributes: Values): boolean {
  const context = childNamed(statement, ASSERTION, 'AuthnContext')
  const named = textOf(childNamed(context, ASSERTION, 'AuthnContextClassRef'))
  return [named ?? '', ...(attributes.get(METHODS) ?? [])].some((one) => MULTI_FACTOR.has(one))
}
