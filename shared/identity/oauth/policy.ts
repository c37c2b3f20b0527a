// When people are asked something: to sign in, to consent. The library's own rules and one more.
import { interactionPolicy } from 'oidc-provider'

const { Check } = interactionPolicy

/**
 * A browser may be signed in as somebody of another tenant than the client's, or as somebody who has been suspended or
 * signed out everywhere since: then it is signed in as nobody.
 */
const nobodyHere = () =>
  new Check('account_not_here', 'End-User authentication is required', ({ oidc }) =>
    oidc.session?.accountId !== undefined && oidc.account === undefined
      ? Check.REQUEST_PROMPT
      : Check.NO_NEED_TO_PROMPT,
  )

export function askingPolicy() {
  const policy = interactionPolicy.base()
  policy.get('login').checks.add(nobodyHere())
  return policy
}
