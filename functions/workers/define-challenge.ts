type DefineEvent = {
  request: { session: { challengeName: string; challengeResult: boolean }[]; userNotFound?: boolean }
}

/** Called by the user pool. There is exactly one challenge, and only its right answer gives tokens. */
export async function handler<E extends DefineEvent>(event: E) {
  const { session, userNotFound = false } = event.request
  const [first, ...others] = session
  const answered = first?.challengeName === 'CUSTOM_CHALLENGE' && first.challengeResult && others.length === 0
  const issueTokens = answered && !userNotFound
  const failAuthentication = userNotFound || (session.length > 0 && !answered)
  const next = issueTokens || failAuthentication ? {} : { challengeName: 'CUSTOM_CHALLENGE' }
  return { ...event, response: { issueTokens, failAuthentication, ...next } }
}
