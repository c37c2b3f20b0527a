// Tables: a row is never split, and each page that a table reaches repeats its header row.
import type { Block, Column } from './block.ts'
import type { Place, Sheet, Style } from './pdf-sheet.ts'

const PADDING = 3
const CELL: Style = { size: 8 }
const HEAD: Style = { size: 8, bold: true }
const CAPTION: Style = { size: 10, bold: true, gap: 4 }
const LINE = '#b8c0c8'
const HEAD_FILL = '#eef1f5'
/** Longer texts would make a row that no page holds. */
const CELL_CHARACTERS_MAX = 900

type Table = Extract<Block, { kind: 'table' }>
type Element = ReturnType<Sheet['group']>

export function drawTable(sheet: Sheet, { caption, columns, rows }: Table): void {
  const places = placesOf(sheet.whole, columns)
  const titles = columns.map(({ title }) => title)
  const texts = rows.map((cells) => cells.map(shortened))
  const heads = heightOf(sheet, titles, HEAD, places)
  const first = texts[0] ? heightOf(sheet, texts[0], CELL, places) : 0
  const name = caption === undefined ? 0 : sheet.heightOf(caption, CAPTION, sheet.whole) + 8
  sheet.reserve(name + heads + first)
  if (caption !== undefined) sheet.tag('P', () => sheet.write(caption, CAPTION))
  const table = sheet.group('Table')
  drawRow(sheet, table, { cells: titles, places, style: HEAD, cell: 'TH' })
  for (const cells of texts) {
    if (sheet.reserve(heightOf(sheet, cells, CELL, places))) drawHeadAgain(sheet, titles, places)
    drawRow(sheet, table, { cells, places, style: CELL, cell: 'TD' })
  }
  table.end()
  sheet.doc.y += 10
}

const shortened = (text: string): string =>
  text.length <= CELL_CHARACTERS_MAX
    ? text
    : `${text.slice(0, CELL_CHARACTERS_MAX).toWellFormed()}… (full text in report.html)`

function placesOf({ x: left, width }: Place, columns: readonly Column[]): Place[] {
  let x = left
  return columns.map(({ share }) => {
    const place = { x: x + PADDING, width: share * width - 2 * PADDING }
    x += share * width
    return place
  })
}

const heightOf = (sheet: Sheet, cells: readonly string[], style: Style, places: readonly Place[]): number =>
  Math.max(...places.map((place, index) => sheet.heightOf(cells[index] ?? '', style, place))) + 2 * PADDING

type Row = { cells: readonly string[]; places: readonly Place[]; style: Style; cell: 'TH' | 'TD' }

function drawRow(sheet: Sheet, table: Element, row: Row): void {
  const element = sheet.group('TR', table)
  const bottom = frame(sheet, row)
  const top = sheet.doc.y + PADDING
  for (const [index, place] of row.places.entries()) {
    sheet.tag(
      row.cell,
      () => {
        sheet.doc.y = top
        sheet.write(row.cells[index] ?? '', row.style, place)
      },
      element,
    )
  }
  element.end()
  sheet.doc.y = bottom
}

/** The repeated header row is decoration: a screen reader has read it. */
function drawHeadAgain(sheet: Sheet, cells: readonly string[], places: readonly Place[]): void {
  const bottom = frame(sheet, { cells, places, style: HEAD, cell: 'TH' })
  const top = sheet.doc.y + PADDING
  sheet.decorate(() => {
    for (const [index, place] of places.entries()) {
      sheet.doc.y = top
      sheet.write(cells[index] ?? '', HEAD, place)
    }
  })
  sheet.doc.y = bottom
}

/** Draws the lines around a row; returns where it ends. */
function frame(sheet: Sheet, { cells, places, style, cell }: Row): number {
  const { doc } = sheet
  const { x, width } = sheet.whole
  const height = heightOf(sheet, cells, style, places)
  sheet.decorate(() => {
    if (cell === 'TH') doc.rect(x, doc.y, width, height).fill(HEAD_FILL)
    doc.lineWidth(0.5).strokeColor(LINE).rect(x, doc.y, width, height).stroke()
    for (const place of places.slice(1)) {
      doc
        .moveTo(place.x - PADDING, doc.y)
        .lineTo(place.x - PADDING, doc.y + height)
        .stroke()
    }
  })
  return doc.y + height
}
