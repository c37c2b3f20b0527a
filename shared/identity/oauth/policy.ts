// When the server prompts a person to sign in or to consent: the library's rules and one more.
import { interactionPolicy } from 'oidc-provider'

const { Check } = interactionPolicy

/**
 * Prompts for a sign-in when the account of the session is not found for this client: it belongs to another tenant, was
 * suspended, or was signed out everywhere.
 */
const accountMissing = () =>
  new Check('account_not_here', 'End-User authentication is required', ({ oidc }) =>
    oidc.session?.accountId !== undefined && oidc.account === undefined
      ? Check.REQUEST_PROMPT
      : Check.NO_NEED_TO_PROMPT,
  )

/** Asks in every device authorisation: no redirect URI says who will get the tokens, so only the person can. */
const deviceUnasked = () =>
  new Check('device_unasked', 'End-User consent is required', ({ oidc }) =>
    oidc.deviceCode !== undefined && oidc.result?.consent === undefined
      ? Check.REQUEST_PROMPT
      : Check.NO_NEED_TO_PROMPT,
  )

export function promptPolicy() {
  const policy = interactionPolicy.base()
  policy.get('login').checks.add(accountMissing())
  policy.get('consent').checks.add(deviceUnasked())
  return policy
}
