/**
 * Adds `prompt=consent` to a request for `offline_access`. OpenID Connect Core (section 11) requires both together, but many
 * clients send only the scope. Changes and returns its argument.
 */
export function askForConsent(params: URLSearchParams): URLSearchParams {
  if (params.getAll('prompt').length > 1) return params // the library refuses it
  const prompts = params.get('prompt')?.split(' ') ?? []
  const later = params.has('response_type') && params.get('scope')?.split(' ').includes('offline_access')
  if (!later || prompts.includes('none') || prompts.includes('consent')) return params
  params.set('prompt', [...prompts, 'consent'].join(' '))
  return params
}
