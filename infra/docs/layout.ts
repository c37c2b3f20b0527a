// The frame of every page: header with search, content, and the list of all pages. The content comes before the list, so that
// telephones show it first; links are relative, because a host without its own domain serves below a stage.
import { headOf, html, Html } from '../../shared/base/wire/page.ts'

export type Link = { name: string; title: string }
export type Menu = { title: string; links: readonly Link[] }[]
/** `name` is empty for the first page, which stands one level higher than the others. */
export type Page = { name: string; title: string; content: Html }

/** The way from a page to the folder of the others, and to the first page. */
export const rootFrom = (name: string): { folder: string; first: string } =>
  name === '' ? { folder: 'docs/', first: 'docs' } : { folder: '', first: '../docs' }

export function layout({ name, title, content }: Page, menu: Menu): string {
  const { folder, first } = rootFrom(name)
  const openapi = name === '' ? 'openapi.json' : '../openapi.json'
  const line = (link: Link) =>
    html`<li>
      <a href="${folder}${link.name}" ${new Html(link.name === name ? 'aria-current="page"' : '')}>${link.title}</a>
    </li>`
  const part = (one: Menu[number]) =>
    html`<h2>${one.title}</h2>
      <ul>
        ${one.links.map(line)}
      </ul>`
  return html`<!doctype html>
    <html lang="en">
      ${headOf(
        title,
        html`<link rel="stylesheet" href="${folder}style.css" />
          <script src="${folder}script.js" defer></script>`,
      )}
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <a href="${first}">Countersign</a>
          <a class="menu" href="#pages">All pages</a>
          <search hidden>
            <input
              id="search"
              type="search"
              aria-label="Search"
              placeholder="Search (press /)"
              autocomplete="off"
              data-index="${folder}search.json"
              data-root="${folder}"
            />
            <span id="found-status" role="status" class="skip"></span>
            <ul id="found" class="found"></ul>
          </search>
        </header>
        <div class="body">
          <main id="content" tabindex="-1">${content}</main>
          <nav id="pages" aria-label="Documentation">
            ${menu.map(part)}
            <p><a href="${openapi}">OpenAPI document</a></p>
          </nav>
        </div>
      </body>
    </html> `.text
}
