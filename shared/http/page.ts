// Pages for people: one column, no script, nothing from elsewhere, readable in the dark and by keyboard. What they show is
// escaped where it is put in.
import { sha256 } from '../lib/hash.ts'
import { Answer } from './call.ts'

/** HTML that has been escaped, or never came from outside. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

/** Escapes every value but `Html`; false and undefined leave nothing. */
export function html(parts: TemplateStringsArray, ...values: (string | Html | false | undefined)[]): Html {
  const shown = values.map((value) => (value instanceof Html ? value.text : escaped(value || '')))
  return new Html(String.raw({ raw: parts }, ...shown))
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#767676, #8f8f8f); --accent: light-dark(#0b57d0, #a8c7fa) }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; line-height: 1.2 }
label { display: block; margin-top: 1rem; font-weight: 600 }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .6rem; border: 1px solid var(--line); border-radius: .4rem }
button { font: inherit; font-weight: 600; margin-top: 1.5rem; padding: .6rem 1.2rem; border: 0; border-radius: .4rem; background: var(--accent); color: Canvas; cursor: pointer }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.second { background: none; color: var(--accent); border: 1px solid }
button + button { margin-left: .5rem }
.hint { margin: .25rem 0 0; font-size: .875rem }
[role=alert] { border-left: 4px solid light-dark(#b3261e, #f2b8b5); padding-left: .75rem }
`

/** What a page needs beyond its own styles and itself as the target of its forms. */
export type PageNeeds = {
  /** Origins or schemes to which the answer to its form may redirect: browsers apply the rule to the whole way. */
  formTargets?: readonly string[]
  /** Of a script that `content` holds and that the page can do without. */
  nonce?: string | undefined
}

const policy = ({ formTargets = [], nonce }: PageNeeds) =>
  [
    "default-src 'none'",
    `style-src 'sha256-${sha256(STYLE).toString('base64')}'`,
    ...(nonce === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    `form-action ${["'self'", ...new Set(formTargets)].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The address of such a page may hold a token, so it is told to nobody. */
const headers = (needs: PageNeeds) => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy(needs),
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
})

type PageOptions = PageNeeds & { status?: number; unchanged?: boolean }

export function page(title: string, content: Html, options: PageOptions = {}): Answer {
  const { status = 200, unchanged = true, ...needs } = options
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${new Html(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `
  return new Answer(status, document.text, { headers: headers(needs), unchanged })
}
