// The runtime of the generated client: one function that calls an operation by its id. It depends on `fetch` only.

export type Options = {
  /** Address of the API host, without a trailing slash. */
  baseUrl: string
  /** Address of the application host, for the operations that only it serves. */
  appUrl?: string
  /** An API key, or the access token of a signed-in person. */
  credential?: string
  fetch?: typeof fetch
}

/** Where an operation is. `app`: only the application host serves it. `form`: it takes a form instead of JSON. */
export type Place = { method: string; path: string; app?: true; form?: true }

type Parts = { params?: object; query?: object; body?: object }
type Shape = { input: Parts; answers: object }

/** A union by status: comparing `status` narrows the type of `body`. */
export type Reply<A> = { [S in keyof A]: { status: S; headers: Headers; body: A[S] } }[keyof A]

type Extra = { headers?: Record<string, string>; signal?: AbortSignal }

/** The input may be left out if no member is required. */
type Input<I> = object extends I ? [input?: I & Extra] : [input: I & Extra]

export type Call<O> = <K extends keyof O>(
  operation: K,
  ...input: O[K] extends Shape ? Input<O[K]['input']> : never
) => Promise<O[K] extends Shape ? Reply<O[K]['answers']> : never>

/** Rejects only without an answer; every status is a reply. */
export function caller<O>(places: Record<keyof O, Place>, options: Options): Call<O> {
  const call = async (operation: keyof O, input: Parts & Extra = {}) => {
    const place = places[operation]
    const host = place.app ? options.appUrl : options.baseUrl
    if (host === undefined) throw new Error(`${String(operation)} needs appUrl`)
    const { body, headers = {}, signal } = input
    const response = await (options.fetch ?? fetch)(host + pathOf(place.path, input), {
      method: place.method,
      headers: {
        ...(options.credential && { authorization: `Bearer ${options.credential}` }),
        ...(body && { 'content-type': place.form ? 'application/x-www-form-urlencoded' : 'application/json' }),
        ...headers,
      },
      ...(body && { body: place.form ? encoded(body) : JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    return { status: response.status, headers: response.headers, body: await bodyOf(response) }
  }
  return call as unknown as Call<O> // the types come from the document, not from this code
}

function pathOf(template: string, { params = {}, query = {} }: Parts): string {
  const values = new Map<string, unknown>(Object.entries(params))
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))))
  const search = encoded(query)
  return search === '' ? path : `${path}?${search}`
}

function encoded(values: object): string {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) fields.set(name, String(value))
  return fields.toString()
}

const JSON_TYPE = /^application\/([\w.]+\+)?json\b/

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  return JSON_TYPE.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text
}
