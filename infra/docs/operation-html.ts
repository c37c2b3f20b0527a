// One operation: how to call it, what it takes and answers, samples, and a form to try it.
import { html, type Html } from '../../shared/base/wire/page.ts'
import { inline, markdown } from './markdown.ts'
import { type Document, nameIn, type Operation, type Parameter, type Response, type Schema } from './openapi-types.ts'
import type { SchemaWriter } from './schema-html.ts'
import { callOf } from './try-it.ts'

export type Placed = { method: string; path: string; operation: Operation }

export function operationHtml(document: Document, placed: Placed, schemas: SchemaWriter): Html {
  const { method, path, operation } = placed
  const { operationId: id, summary, description, responses } = operation
  const parameters = parametersOf(document, operation)
  const [body] = Object.entries(operation.requestBody?.content ?? {})
  const call = callOf(placed, parameters)
  return html`<section class="op">
    <h2 id="${id}"><a href="#${id}">${summary}</a></h2>
    <p class="call"><b>${method}</b> ${path}</p>
    ${markdown(description)} ${parameters.length > 0 && folded('Parameters', parametersHtml(parameters))}
    ${body?.[1].schema && folded(`Body (${body[0]})`, schemas.write(body[1].schema))}
    ${(operation['x-codeSamples'] ?? []).map(({ label, source }) => folded(label, codeHtml(source)))}
    ${folded('Answers', answersHtml(document, responses, schemas))}
    ${call && html`<details class="try" hidden data-call="${JSON.stringify(call)}"><summary>Try it</summary></details>`}
  </section>`
}

export const folded = (title: string, content: Html): Html =>
  html`<details>
    <summary>${title}</summary>
    ${content}
  </details>`

export const codeHtml = (source: string): Html => html`<pre tabindex="0"><code>${source}</code></pre>`

export const exampleHtml = (example: unknown): Html | undefined =>
  example === undefined
    ? undefined
    : folded('Example', codeHtml(typeof example === 'string' ? example : JSON.stringify(example, undefined, 2)))

const parametersOf = ({ components }: Document, { parameters = [] }: Operation): Parameter[] =>
  parameters.flatMap((one) => ('name' in one ? one : (components.parameters[nameIn(one.$ref)] ?? [])))

const parametersHtml = (parameters: readonly Parameter[]): Html =>
  html`<ul class="members">
    ${parameters.map(
      ({ name, in: place, required, description, schema }) =>
        html`<li>
          <code>${name}</code>
          <span class="type">${place}, ${typeWords(schema)}</span>
          ${required && html`<span class="must">required</span>`} ${description && markdown(description)}
        </li>`,
    )}
  </ul>`

const typeWords = ({ type, enum: values, minimum, maximum }: Schema): string => {
  if (values) return `one of ${values.map(String).join(', ')}`
  const range = minimum === undefined && maximum === undefined ? '' : ` from ${minimum ?? '…'} to ${maximum ?? '…'}`
  return `${type ?? 'text'}${range}`
}

/** Successes with their shapes. Errors have one shape, which the page about errors shows. */
function answersHtml(document: Document, responses: Record<string, Response>, schemas: SchemaWriter): Html {
  const all = Object.entries(responses).map(
    ([status, one]) =>
      [status, one.$ref ? { ...document.components.responses[nameIn(one.$ref)], ...one } : one] as const,
  )
  const [good, bad] = [all.filter(([status]) => status < '400'), all.filter(([status]) => status >= '400')]
  return html`${good.map(([status, one]) => answerHtml(status, one, schemas))}
    <h3>Errors</h3>
    <ul>
      ${bad.map(([status, { description }]) => html`<li><code>${status}</code> ${inline(description)}</li>`)}
    </ul>
    <p><a href="errors">What each code of an error means</a></p>`
}

function answerHtml(status: string, { description, content = {} }: Response, schemas: SchemaWriter): Html {
  const [media] = Object.values(content)
  return html`<h3><code>${status}</code> ${inline(description)}</h3>
    ${media?.schema && schemas.write(media.schema)} ${exampleHtml(media?.example)}`
}
