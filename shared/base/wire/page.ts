// HTML pages: one column, no script, no external resources, with dark mode and keyboard support. They name the service,
// since they ask for passwords. Values are escaped where they are inserted.
import { sha256 } from '../lib/json.ts'
import { HttpResponse } from './call.ts'
import { FORM_COLOURS } from './colours.ts'

/** HTML that is escaped or comes from our own templates. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

type Value = string | Html | readonly Html[] | false | undefined

/** Escapes every text; false and undefined become empty, and lists are put together. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(textOf)))

function textOf(value: Value): string {
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escaped(value || '')
}

/** The logo: two ticks. */
const MARK = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b57d0"/>',
  '<path d="m3 8.5 2.5 2.5L9.5 6M7.5 10l1 1L13 5.5" fill="none" stroke="#fff" stroke-width="1.6"',
  ' stroke-linecap="round" stroke-linejoin="round"/></svg>',
]
const ICON = `data:image/svg+xml,${encodeURIComponent(MARK.join(''))}`

const STYLE = `
${FORM_COLOURS}
body {
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  margin: 0; padding: 3rem 1rem; color: var(--text); background: var(--back);
}
header, main { box-sizing: border-box; max-width: 28rem; margin: 0 auto; padding: 0 2rem }
header { display: flex; align-items: center; gap: .5rem; margin-bottom: 1rem; font-weight: 600; color: var(--soft) }
header::before { content: ''; width: 1.5rem; height: 1.5rem; background: url("${ICON}") }
main { padding: 2rem; background: var(--card); border: 1px solid var(--edge); border-radius: .75rem }
main > :last-child { margin-bottom: 0 }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 1rem; text-wrap: balance }
p { text-wrap: pretty }
p:empty { margin: 0 }
a { color: var(--accent) }
li + li { margin-top: .25rem }
dt { font-weight: 600 }
dd { margin: 0 0 .75rem }
label { display: block; margin: 1.25rem 0 .375rem; font-weight: 600 }
input, button { font: inherit; padding: .625rem; border: 1px solid var(--line); border-radius: .375rem }
input { width: 100%; box-sizing: border-box; color: inherit; background: none }
input:read-only { color: var(--soft); border-color: var(--edge) }
textarea, select { width: 100%; box-sizing: border-box; font: inherit; padding: .625rem; color: inherit; background: none;
  border: 1px solid var(--line); border-radius: .375rem }
h2 { font-size: 1.125rem; margin: 1.5rem 0 .5rem }
pre { margin: 0; padding: .75rem; white-space: pre-wrap; border: 1px solid var(--edge); border-radius: .375rem }
code { font-size: .875rem }
.all { user-select: all }
button {
  font-weight: 600; margin: 1.5rem .5rem 0 0; padding: .625rem 1.25rem; cursor: pointer;
  color: var(--card); background: var(--accent); border-color: transparent;
}
button:hover { filter: brightness(1.1) }
.second { color: var(--accent); background: none; border-color: currentcolor }
main > .host { margin-bottom: 0; font-size: 1.25rem }
.host > img { display: block; max-width: 100%; max-height: 3rem; margin-bottom: .5rem; padding: .25rem; background: #fff }
.hint { margin: .375rem 0 0; font-size: .875rem; color: var(--soft) }
[role=alert] { border-left: 4px solid var(--alert); padding-left: .75rem }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
form:not(:last-of-type) { padding-bottom: 1.5rem; border-bottom: 1px solid var(--edge) }
@media (max-width: 30rem) {
  body { padding: 1.5rem 1rem; background: var(--card) }
  header, main { padding: 0; border: 0 }
}
`

/** What a page needs beyond its own styles and forms that post to its own address. */
export type PageNeeds = {
  /** Origins or schemes to which the answer to its form may redirect, because browsers apply `form-action` to redirects. */
  formTargets?: readonly string[]
  /** The nonce of an optional script inside `content`. */
  nonce?: string | undefined
}

const policy = ({ formTargets = [], nonce }: PageNeeds) =>
  [
    "default-src 'none'",
    'img-src data:',
    `style-src 'sha256-${sha256(STYLE).toString('base64')}'`,
    ...(nonce === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    `form-action ${["'self'", ...new Set(formTargets)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** No referrer is sent, because the address of a page may hold a token. */
const pageHeaders = (needs: PageNeeds) => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy(needs),
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
})

/** Whether the client asks for HTML. Programs that accept any type get JSON. */
export const isBrowser = (accept = ''): boolean => accept.includes('text/html')

type PageOptions = PageNeeds & { status?: number; unchanged?: boolean; headers?: Record<string, string> }

/** `more`: the style and the script of the page. */
export const headOf = (title: string, more: Html): Html =>
  html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} · Countersign</title>
    <link rel="icon" href="${ICON}" />
    ${more}
  </head>`

export function page(title: string, content: Html, options: PageOptions = {}): HttpResponse {
  const { status = 200, unchanged = true, headers = {}, ...needs } = options
  const document = html`<!doctype html>
    <html lang="en">
      ${headOf(title, new Html(`<style>${STYLE}</style>`))}
      <body>
        <header>Countersign</header>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `
  return new HttpResponse(status, document.text, { headers: { ...headers, ...pageHeaders(needs) }, unchanged })
}
