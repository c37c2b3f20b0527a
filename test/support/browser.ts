// A browser without scripts: keeps cookies by path, follows redirects inside the application, fills in forms.
import { send } from './http.ts'

type Cookie = { name: string; value: string; path: string }

/** Where a browser is: on a page of ours, or sent off to another origin, which it does not visit. */
export type Place = { url: string; status: number; text: string; headers: Record<string, string> }

export class Browser {
  readonly #origin: string
  #cookies: Cookie[] = []
  ip = '127.0.0.1'

  constructor(appUrl: string) {
    this.#origin = new URL(appUrl).origin
  }

  /** Follows redirects until there is a page, or until they lead elsewhere. */
  async open(url: string): Promise<Place> {
    if (!url.startsWith(this.#origin)) return { url, status: 0, text: '', headers: {} }
    let place = await this.#request('GET', url)
    while (place.status >= 300 && place.status < 400) {
      const next = new URL(place.headers.location ?? '', place.url).href
      if (!next.startsWith(this.#origin)) return { ...place, url: next }
      place = await this.#request('GET', next)
    }
    return place
  }

  /** Sends the form of a page of ours by its button, with the fields that the page has filled in. */
  press(place: Place, step: string, fields: Record<string, string> = {}): Promise<Place> {
    return this.submit(place, { ...fields, step }, place.url)
  }

  /** Sends the form of a page, to where the form says unless that is given. */
  async submit(place: Place, fields: Record<string, string>, to = targetOf(place)): Promise<Place> {
    const form = new URLSearchParams({ ...hiddenFields(place.text), ...fields })
    const sent = await this.#request('POST', to, form.toString())
    const { location } = sent.headers
    return location === undefined ? sent : this.open(new URL(location, to).href)
  }

  cookie(name: string): string | undefined {
    return this.#cookies.find((one) => one.name === name)?.value
  }

  async #request(method: string, url: string, body?: string): Promise<Place> {
    const { pathname } = new URL(url)
    const cookies = this.#cookies.filter(({ path }) => pathname.startsWith(path))
    const answer = await send(url, {
      method,
      ip: this.ip,
      headers: {
        accept: 'text/html',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
        ...(cookies.length > 0 && { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') }),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== undefined && { body }),
    })
    for (const line of answer.cookies) this.#keep(line)
    return { url, ...answer }
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find((one) => one.startsWith('path='))?.slice('path='.length) ?? '/'
    const over = attributes.some((one) => /^expires=Thu, 01 Jan 1970/i.test(one))
    this.#cookies = this.#cookies.filter((one) => one.name !== name || one.path !== path)
    if (!over) this.#cookies.push({ name, value, path })
  }
}

const targetOf = ({ text, url }: Place) => new URL(/<form[^>]*action="([^"]*)"/.exec(text)?.[1] ?? url, url).href

/** Fields that the first form of a page carries without being seen. */
export const hiddenFields = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
      /name="([^"]*)"/.exec(input)?.[1] ?? '',
      /value="([^"]*)"/.exec(input)?.[1] ?? '',
    ]),
  )
