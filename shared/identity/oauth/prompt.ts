/**
 * Asks for consent where a refresh token for later is asked for: the protocol wants both together, and clients that follow
 * our documentation only ask for the scope (OpenID Connect Core, section 11). Changes and returns what it is given.
 */
export function askForConsent(params: URLSearchParams): URLSearchParams {
  if (params.getAll('prompt').length > 1) return params // the server's to refuse
  const prompts = params.get('prompt')?.split(' ') ?? []
  const later = params.has('response_type') && params.get('scope')?.split(' ').includes('offline_access')
  if (!later || prompts.includes('none') || prompts.includes('consent')) return params
  params.set('prompt', [...prompts, 'consent'].join(' '))
  return params
}
