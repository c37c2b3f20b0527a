// The pages of the reference: one for each area of the OpenAPI document.
import { html, type Html } from '../../shared/base/wire/page.ts'
import type { Page } from './layout.ts'
import { markdown } from './markdown.ts'
import { exampleHtml, operationHtml, type Placed } from './operation-html.ts'
import { type Document, nameIn, type Operation, type Schema } from './openapi-types.ts'
import { type SchemaWriter, schemaWriter, shapeId } from './schema-html.ts'

export type Area = Document['tags'][number] & { operations: Placed[] }

const METHOD_ORDER = ['get', 'post', 'put', 'patch', 'delete']

export function areasOf({ tags, paths }: Document): Area[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .toSorted(([one], [other]) => METHOD_ORDER.indexOf(one) - METHOD_ORDER.indexOf(other))
      .map(([method, operation]): Placed => ({ method: method.toUpperCase(), path, operation })),
  )
  return tags.map((tag) => ({ ...tag, operations: all.filter(({ operation }) => operation.tags.includes(tag.name)) }))
}

export function areaPage(document: Document, area: Area): Page {
  const { name, description, operations } = area
  const title = area['x-displayName']
  const events = Object.values(document.webhooks)
    .map(({ post }) => post)
    .filter(({ tags }) => tags.includes(name))
  const roots = [...operations.map(({ operation }) => operation), ...events].flatMap(schemasIn)
  const schemas = schemaWriter(document, roots)
  const content = html`<h1>${title}</h1>
    ${markdown(description)}
    <ul class="list">
      ${operations.map(({ operation: { operationId: id, summary } }) => html`<li><a href="#${id}">${summary}</a></li>`)}
    </ul>
    ${operations.map((placed) => operationHtml(document, placed, schemas))}
    ${events.length > 0 && eventsHtml(events, schemas)} ${shapesHtml(schemas)}`
  return { name, title, content }
}

/** Bodies and successes, in which `schemaWriter` finds what is used more than once. */
const schemasIn = ({ requestBody, responses }: Operation): Schema[] =>
  [
    ...Object.values(requestBody?.content ?? {}),
    ...Object.entries(responses)
      .filter(([status]) => status < '400')
      .flatMap(([, { content = {} }]) => Object.values(content)),
  ].flatMap(({ schema }) => schema ?? [])

const eventsHtml = (events: readonly Operation[], schemas: SchemaWriter): Html =>
  html`<h2 id="types">Types of events</h2>
    ${events.map((event) => eventHtml(event, schemas))}`

function eventHtml({ operationId, summary, description, requestBody }: Operation, schemas: SchemaWriter): Html {
  const media = requestBody?.content['application/json']
  return html`<section>
    <h3 id="${operationId}"><a href="#${operationId}">${summary}</a></h3>
    ${markdown(description)}
    ${
      media?.schema &&
      html`<details>
        <summary>Members</summary>
        ${schemas.write(media.schema)}
      </details>`
    }
    ${exampleHtml(media?.example)}
  </section>`
}

function shapesHtml(schemas: SchemaWriter): Html | undefined {
  const shared = schemas.shared()
  if (shared.length === 0) return undefined
  return html`<h2 id="shapes">Shapes</h2>
    ${shared.map(
      ([name, content]) =>
        html`<details id="${shapeId(name)}">
          <summary>${nameIn(name)}</summary>
          ${content}
        </details>`,
    )}`
}
