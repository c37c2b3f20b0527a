// Markdown as HTML of the documentation. Headings get ids, links between files of the repository become links between pages, and
// those to files without a page become text.
import { Marked, type Tokens } from 'marked'
import { html, Html } from '../../shared/base/wire/page.ts'

/** The page of a file, for links; undefined for a file that has none. */
export type PageOf = (href: string) => string | undefined

export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')

const LOCAL = /^(?:\.{0,2}\/|[\w-]+(?:\/|\.md))/

/** Raw HTML, such as comments, is left out. */
export function markdown(text: string, pageOf: PageOf = () => undefined): Html {
  const marked = new Marked({
    renderer: {
      html: () => '',
      heading({ tokens, depth, text: title }: Tokens.Heading) {
        return `<h${depth} id="${slugOf(title)}">${this.parser.parseInline(tokens)}</h${depth}>`
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens)
        const target = LOCAL.test(href) ? pageOf(href) : href
        return target === undefined ? inner : html`<a href="${target}">${new Html(inner)}</a>`.text
      },
      code: ({ text: source }: Tokens.Code) => html`<pre tabindex="0"><code>${source}</code></pre>`.text,
      table(token: Tokens.Table) {
        const cell = (name: 'th' | 'td') => (one: Tokens.TableCell) =>
          `<${name}>${this.parser.parseInline(one.tokens)}</${name}>`
        const row = (cells: string[]) => `<tr>${cells.join('')}</tr>`
        const head = row(token.header.map(cell('th')))
        const body = token.rows.map((cells) => row(cells.map(cell('td')))).join('')
        return `<div class="scroll" tabindex="0" role="region" aria-label="Table"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>`
      },
    },
  })
  return new Html(marked.parse(text, { async: false }))
}

/** One paragraph without its tags. */
export const inline = (text: string): Html =>
  new Html(
    markdown(text)
      .text.replaceAll(/<\/?p>/g, '')
      .trim(),
  )
