// A person at the consent page of a provider.
export type Returned = { code?: string; state: string; error?: string; location: URL }

/** Opens the page, answers its form, and returns what the provider sends back. */
export async function consent(authUrl: string, decision: 'allow' | 'deny' = 'allow'): Promise<Returned> {
  const shown = await fetch(authUrl)
  const text = await shown.text()
  if (shown.status !== 200) throw new Error(`the consent page answers ${shown.status}: ${text}`)
  const fields = [...text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  const form = new URLSearchParams(
    Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')])),
  )
  form.set('decision', decision)
  const answer = await fetch(authUrl.split('?')[0] ?? '', { method: 'POST', body: form, redirect: 'manual' })
  const location = new URL(answer.headers.get('location') ?? '')
  const { state = '', ...rest } = Object.fromEntries(location.searchParams)
  return { ...rest, state, location }
}
