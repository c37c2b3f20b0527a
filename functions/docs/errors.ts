import * as z from 'zod'
import { CODES } from '../../shared/base/catalog/codes.ts'
import { Html, html, page } from '../../shared/base/wire/page.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { docs } from './routes.ts'

export const shapes = { response: z.string().meta({ contentMediaType: 'text/html' }) }

/** Text with code between backticks. */
const marked = (text: string): Html =>
  together(text.split('`').map((part, at) => (at % 2 === 0 ? html`${part}` : html`<code>${part}</code>`)))

const together = (parts: readonly Html[]): Html => new Html(parts.map(({ text }) => text).join(''))

/** Each code has a place of its own, which the `type` of problem details names. */
const ENTRIES = together(
  Object.entries(CODES).map(
    ([code, { cause, remedy }]) =>
      html`<dt id="${code}"><code>${code}</code></dt>
        <dd>${marked(cause)} ${marked(remedy)}</dd>`,
  ),
)

const INTRO = 'Each refusal has a code. What caused it comes first, what to do about it second.'

export const handler = endpoint(docs.errors, shapes, async () =>
  page(
    'Errors',
    html`<p>${INTRO}</p>
      <dl>${ENTRIES}</dl>`,
  ),
)
