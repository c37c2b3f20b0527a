// All files of the documentation, made once per build from the OpenAPI document and the guides beside the code.
import { readFile } from 'node:fs/promises'
import type { Site } from '../../shared/base/wire/site.ts'
import { DOCUMENT_COLOURS } from '../../shared/base/wire/colours.ts'
import { html, type Html } from '../../shared/base/wire/page.ts'
import { ERRORS, errorsPage, GUIDES, guidePage, REQUESTS, requestsPage } from './guides.ts'
import { layout, type Menu, type Page } from './layout.ts'
import type { Document } from './openapi-types.ts'
import { type Area, areaPage, areasOf } from './reference.ts'

const ALL_GUIDES = [...GUIDES, REQUESTS, ERRORS]
const HTML = 'text/html; charset=utf-8'

export async function docsSite(document: Document): Promise<Site> {
  const areas = areasOf(document)
  const menu: Menu = [
    { title: 'Guides', links: ALL_GUIDES },
    { title: 'Reference', links: areas.map((area) => ({ name: area.name, title: area['x-displayName'] })) },
  ]
  const guides = await Promise.all(GUIDES.map(guidePage))
  const pages = [
    firstPage(areas),
    ...guides,
    requestsPage(document.info.description),
    errorsPage(),
    ...areas.map((area) => areaPage(document, area)),
  ]
  const files = pages.map((page): [string, Site[string]] => [page.name, { type: HTML, text: layout(page, menu) }])
  return {
    ...Object.fromEntries(files),
    'style.css': { type: 'text/css; charset=utf-8', text: `${DOCUMENT_COLOURS}\n${await beside('style.css')}` },
    'script.js': { type: 'text/javascript; charset=utf-8', text: await beside('browser.js') },
    'search.json': { type: 'application/json; charset=utf-8', text: JSON.stringify(entriesOf(document, areas)) },
  }
}

const beside = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

function firstPage(areas: readonly Area[]): Page {
  const card = ({ name, title, description }: { name: string; title: string; description: string }): Html =>
    html`<li>
      <a href="docs/${name}">${title}</a>
      <p>${description}</p>
    </li>`
  const content = html`<h1>Govern what AI agents do</h1>
    <p>
      An agent asks to run an action. Countersign classifies it, runs it or holds it for a person, and keeps evidence
      that anyone can check. Begin with <a href="docs/guide-first-action">your first governed action</a>.
    </p>
    <h2 id="guides">Guides</h2>
    <ul class="cards">
      ${ALL_GUIDES.map(card)}
    </ul>
    <h2 id="reference">Reference</h2>
    <p>
      Every operation, with samples and a form to try it. Client generators read the
      <a href="openapi.json">OpenAPI document</a>.
    </p>
    <ul class="cards">
      ${areas.map((area) => card({ ...area, title: area['x-displayName'] }))}
    </ul>`
  return { name: '', title: 'Documentation', content }
}

type Entry = { title: string; text: string; page: string }

/** What the search finds: guides, operations and types of events. */
function entriesOf({ webhooks }: Document, areas: readonly Area[]): Entry[] {
  return [
    ...ALL_GUIDES.map(({ name, title, description }) => ({ title, text: description, page: name })),
    ...areas.flatMap(({ name, operations }) =>
      operations.map(({ method, path, operation: { summary, operationId } }) => ({
        title: summary,
        text: `${method} ${path}`,
        page: `${name}#${operationId}`,
      })),
    ),
    ...Object.values(webhooks).map(({ post: { summary, description, tags, operationId } }) => ({
      title: summary,
      text: description,
      page: `${tags[0]}#${operationId}`,
    })),
  ]
}
