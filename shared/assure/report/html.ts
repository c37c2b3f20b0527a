// The report as one HTML file: no script, nothing from outside, fit for print.
import { Html, html } from '../../base/wire/page.ts'
import { type Bar, barText, type Block, MARKS, type Report, trendText } from './block.ts'

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; } h2 { margin-top: 2.5rem; border-bottom: 2px solid #d8dde3; } h3 { margin-top: 1.5rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: .75rem; }
dl div { border: 1px solid #d8dde3; border-radius: 6px; padding: .5rem .75rem; }
dt { color: #57606a; font-size: .85em; } dd { margin: 0; font-weight: 600; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; font-size: .87em; margin: .75rem 0; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
th, td { border: 1px solid #d8dde3; padding: .3rem .45rem; text-align: left; vertical-align: top; white-space: pre-line; }
th { background: #f3f5f8; }
.warning { border-left: 4px solid #c62828; background: #fdecea; padding: .5rem .75rem; }
figure { margin: 1rem 0; } figcaption { font-weight: 600; }
.bar { display: grid; grid-template-columns: minmax(10rem, 2fr) 3fr; gap: .25rem 1rem; align-items: center; margin: .35rem 0; }
.bar svg { width: 100%; height: 1rem; } .bar small { grid-column: 2; color: #57606a; }
pre { background: #f3f5f8; padding: .5rem .75rem; white-space: pre-wrap; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } tr, figure { break-inside: avoid; } thead { display: table-header-group; } .page { break-before: page; } }
@page { size: A4; margin: 20mm; }`

export function reportHtml({ title, footer, made_at, blocks }: Report): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <main>${blocks.map(blockHtml)}</main>
        <footer><p>${footer}, made at ${made_at}.</p></footer>
      </body>
    </html> `
  return page.text
}

function blockHtml(block: Block): Html {
  switch (block.kind) {
    case 'heading':
      return new Html(`<h${block.level}>${html`${block.text}`.text}</h${block.level}>`)
    case 'paragraph':
      return html`<p>${block.text}</p>`
    case 'warning':
      return html`<p class="warning"><strong>Note:</strong> ${block.text}</p>`
    case 'code':
      return html`<pre>${block.text}</pre>`
    case 'figures':
      return html`<dl>
        ${block.items.map(
          ({ label, value }) =>
            html`<div>
              <dt>${label}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
      </dl>`
    case 'bars':
      return html`<figure>
        <figcaption>${block.caption}</figcaption>
        ${block.bars.map(barHtml)}
      </figure>`
    case 'trend':
      return html`<figure>
        <figcaption>${block.caption}</figcaption>
        ${trendHtml(block.points)}
        <p>${trendText(block.points)}</p>
      </figure>`
    case 'table':
      return tableHtml(block)
    default:
      return pageBreak(block)
  }
}

const pageBreak = (_: Extract<Block, { kind: 'page_break' }>): Html => html`<div class="page"></div>`

function barHtml(bar: Bar): Html {
  const total = bar.parts.reduce((sum, { count }) => sum + count, 0)
  let x = 0
  const rects = bar.parts.map(({ status, count }) => {
    const from = x
    x += (count / Math.max(total, 1)) * 100
    return html`<rect
      x="${from.toFixed(2)}"
      width="${(x - from).toFixed(2)}"
      height="10"
      fill="${MARKS[status].colour}"
    />`
  })
  return html`<div class="bar">
    <span>${bar.label}</span><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${rects}</svg
    ><small>${barText(bar) || 'none in scope'}</small>
  </div>`
}

function trendHtml(points: { score: number | null }[]): Html {
  const rects = points.map(({ score }, index) => {
    const height = score ?? 0
    return html`<rect
      x="${String(index * 10 + 1)}"
      y="${(100 - height).toFixed(1)}"
      width="8"
      height="${height.toFixed(1)}"
      fill="#0b57d0"
    />`
  })
  return html`<svg viewBox="0 0 ${String(points.length * 10)} 101" height="101" aria-hidden="true">
    <line x1="0" x2="${String(points.length * 10)}" y1="100.5" y2="100.5" stroke="#767676" />
    ${rects}
  </svg>`
}

function tableHtml({ caption, columns, rows }: Extract<Block, { kind: 'table' }>): Html {
  const widths = columns.map(({ share }) => html`<col style="width:${(share * 100).toFixed(0)}%" />`)
  const heads = columns.map(({ title }) => html`<th scope="col">${title}</th>`)
  const lines = rows.map(
    (cells) =>
      html`<tr>
        ${cells.map((cell) => html`<td>${cell}</td>`)}
      </tr>`,
  )
  return html`<table>
    <caption>
      ${caption}
    </caption>
    <colgroup>
      ${widths}
    </colgroup>
    <thead>
      <tr>
        ${heads}
      </tr>
    </thead>
    <tbody>
      ${lines}
    </tbody>
  </table>`
}
