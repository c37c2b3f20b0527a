// The report as a tagged PDF on A4. Equal reports give equal bytes.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import PDFDocument from 'pdfkit'
import { type Bar, barText, type Block, MARKS, type Report, trendText } from './block.ts'
import { BOLD, MARGIN, REGULAR, Sheet, type Style } from './pdf-sheet.ts'
import { drawTable } from './pdf-table.ts'

/** TrueType files. */
export type Fonts = { regular: Uint8Array; bold: Uint8Array }

export async function writePdf(report: Report, path: string, fonts: Fonts): Promise<void> {
  const made = new Date(report.made_at)
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    font: '', // the default font is a file that a bundle does not have
    bufferPages: true, // the footer names the number of pages
    tagged: true,
    displayTitle: true,
    lang: 'en',
    pdfVersion: '1.7',
    info: { Title: report.title, Author: 'Countersign', CreationDate: made, ModDate: made },
  })
  doc.registerFont(REGULAR, Buffer.from(fonts.regular)).registerFont(BOLD, Buffer.from(fonts.bold))
  const written = pipeline(doc, createWriteStream(path))
  const sheet = new Sheet(doc, fonts.regular)
  for (const block of report.blocks) drawBlock(sheet, block)
  sheet.end(report.footer)
  await written
}

const BODY: Style = { size: 10, gap: 6 }
const SMALL: Style = { size: 8, colour: '#57606a', gap: 4 }
const CAPTION: Style = { size: 10, bold: true, gap: 4 }
const HEADINGS: Record<1 | 2 | 3, Style> = {
  1: { size: 20, bold: true, gap: 10 },
  2: { size: 15, bold: true, gap: 6 },
  3: { size: 11.5, bold: true, gap: 4 },
}
/** A heading never stands alone at the foot of a page. */
const AFTER_HEADING = 90
const FIGURE: Style = { size: 10, gap: 4 }
const LABEL_WIDTH = 95
const BAR_HEIGHT = 9
const TREND_HEIGHT = 80

function drawBlock(sheet: Sheet, block: Block): void {
  switch (block.kind) {
    case 'heading': {
      const style = HEADINGS[block.level]
      sheet.reserve(sheet.heightOf(block.text, style, sheet.whole) + AFTER_HEADING)
      return sheet.tag(`H${block.level}`, () => sheet.write(block.text, style))
    }
    case 'paragraph':
      return drawText(sheet, block.text, BODY)
    case 'warning':
      return drawText(sheet, `▲ Note: ${block.text}`, { ...BODY, bold: true })
    case 'code':
      return drawText(sheet, block.text, { ...BODY, colour: '#0b3d91' })
    case 'figures':
      for (const item of block.items) drawFigure(sheet, item)
      sheet.doc.y += 6
      return
    case 'bars':
      drawText(sheet, block.caption, CAPTION)
      for (const bar of block.bars) drawBar(sheet, bar)
      return
    case 'trend':
      return drawTrend(sheet, block)
    case 'table':
      return drawTable(sheet, block)
    case 'page_break':
      return sheet.breakPage()
  }
}

function drawText(sheet: Sheet, text: string, style: Style): void {
  sheet.reserve(sheet.heightOf(text, style, sheet.whole))
  sheet.tag('P', () => sheet.write(text, style))
}

function drawFigure(sheet: Sheet, { label, value }: { label: string; value: string }): void {
  const { x, width } = sheet.whole
  const place = { x: x + LABEL_WIDTH, width: width - LABEL_WIDTH }
  sheet.reserve(sheet.heightOf(value, FIGURE, place))
  sheet.tag('P', () => {
    const top = sheet.doc.y
    sheet.write(`${label}: `, { ...FIGURE, bold: true }, { x, width: LABEL_WIDTH })
    sheet.doc.y = top
    sheet.write(value, FIGURE, place)
  })
}

function drawBar(sheet: Sheet, bar: Bar): void {
  const label: Style = { size: 9, gap: 2 }
  const text = `${bar.label}: ${barText(bar) || 'none in scope'}`
  sheet.reserve(sheet.heightOf(text, label, sheet.whole) + BAR_HEIGHT + 10)
  sheet.tag('P', () => sheet.write(text, label))
  const { x: left, width } = sheet.whole
  const total = Math.max(
    1,
    bar.parts.reduce((sum, { count }) => sum + count, 0),
  )
  let x = left
  sheet.decorate(() => {
    for (const { status, count } of bar.parts) {
      const length = (count / total) * width
      if (length > 0) sheet.doc.rect(x, sheet.doc.y, length, BAR_HEIGHT).fill(MARKS[status].colour)
      x += length
    }
  })
  sheet.doc.y += BAR_HEIGHT + 6
}

function drawTrend(sheet: Sheet, { caption, points }: Extract<Block, { kind: 'trend' }>): void {
  sheet.reserve(TREND_HEIGHT + 60)
  drawText(sheet, caption, CAPTION)
  const { x: left, width } = sheet.whole
  const step = width / Math.max(points.length, 1)
  const foot = sheet.doc.y + TREND_HEIGHT
  const text = trendText(points)
  sheet.tag(
    'Figure',
    () => {
      sheet.doc
        .moveTo(left, foot)
        .lineTo(left + width, foot)
        .lineWidth(0.5)
        .stroke('#767676')
      for (const [index, { score }] of points.entries()) {
        const height = ((score ?? 0) / 100) * TREND_HEIGHT
        if (height > 0) sheet.doc.rect(left + index * step + 1, foot - height, step - 2, height).fill('#0b57d0')
      }
    },
    undefined,
    { alt: text },
  )
  sheet.doc.y = foot + 4
  drawText(sheet, text, SMALL)
}
