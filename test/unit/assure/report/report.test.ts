import { mkdtempSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getDocumentProxy } from 'unpdf'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { reportHtml } from '../../../../shared/assure/report/html.ts'
import { writePdf } from '../../../../shared/assure/report/pdf.ts'
import { auditReport } from '../../../../shared/assure/report/cover.ts'
import { sampleInput } from './sample.ts'

const { resolve } = createRequire(import.meta.url)
const font = (name: string) => readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))
const fonts = { regular: font('DejaVuSans'), bold: font('DejaVuSans-Bold') }
const report = auditReport(sampleInput())
const inScope = sampleInput().controls.filter(({ in_scope }) => in_scope)

async function pdfOf(made = report): Promise<Buffer> {
  const path = join(mkdtempSync(join(tmpdir(), 'report-')), 'report.pdf')
  await writePdf(made, path, fonts)
  return readFileSync(path)
}

type Piece = { text: string; x: number; y: number; width: number }

async function piecesOf(
  page: Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>['getPage']>>,
): Promise<Piece[]> {
  const { items } = await page.getTextContent()
  return items.flatMap((item) =>
    'str' in item && item.str.trim() !== ''
      ? [{ text: item.str, x: Number(item.transform[4]), y: Number(item.transform[5]), width: item.width }]
      : [],
  )
}

describe('the report as a PDF', () => {
  let bytes: Buffer
  let pdf: Awaited<ReturnType<typeof getDocumentProxy>>
  const pages: Piece[][] = []

  beforeAll(async () => {
    bytes = await pdfOf()
    pdf = await getDocumentProxy(new Uint8Array(bytes))
    for (let page = 1; page <= pdf.numPages; page += 1) pages.push(await piecesOf(await pdf.getPage(page)))
    return () => pdf.destroy()
  })

  test('has a title, a language and a tree of headings and tables for screen readers', async () => {
    const { info } = await pdf.getMetadata()
    const tree = JSON.stringify(
      await Promise.all(pages.map(async (_, at) => (await pdf.getPage(at + 1)).getStructTree())),
    )

    expect(info).toMatchObject({ Title: report.title, Language: 'en' })
    expect(
      ['H1', 'H2', 'H3', 'P', 'Figure', 'Table', 'TR', 'TH', 'TD'].filter((role) => !tree.includes(`"${role}"`)),
    ).toEqual([])
  })

  test('draws no text outside its pages, and ends each page with its number', () => {
    const outside = pages.flat().filter(({ x, y, width }) => x < 0 || y < 0 || x + width > 596 || y > 842)

    expect(outside).toEqual([])
    expect(pages.map((pieces) => pieces.at(-1)?.text)).toEqual(
      pages.map((_, at) => `${report.footer}, page ${at + 1} of ${pages.length}`),
    )
  })

  test('lists each control in scope once', () => {
    const begin = pages.findIndex((pieces) => pieces.some(({ text }) => text === 'Controls'))
    const end = pages.findIndex(
      (pieces) =>
        pieces.some(({ text }) => text === 'Checks') &&
        pieces.some(({ text }) => text.startsWith('Each check compares')),
    )
    const texts = pages.slice(begin, end).flatMap((pieces) => pieces.map(({ text }) => text))

    expect(texts.filter((text) => inScope.some(({ id }) => id === text))).toEqual(inScope.map(({ id }) => id))
  })

  test('repeats the header row on each page that a table reaches', () => {
    const evidence = pages.filter((pieces) => pieces.some(({ text }) => text.startsWith('Review of access')))

    expect(evidence.length).toBeGreaterThan(2)
    expect(evidence.filter((pieces) => !pieces.some(({ text }) => text === 'Collected'))).toEqual([])
  })

  test('draws Latin, Greek and Cyrillic, and says where the font lacks a character', () => {
    const text = pages
      .flat()
      .map((piece) => piece.text)
      .join(' ')

    expect(text).toContain('Офис, Γραφείο, □□□')
    expect(text).toContain('(full text in report.html)')
  })

  test('has equal bytes for an equal report', async () => {
    expect((await pdfOf()).equals(bytes)).toBe(true)
  })
})

test('a text that no page could hold is cut in the PDF, which says so', async () => {
  const [first] = sampleInput().controls
  const long = auditReport(
    sampleInput({ controls: first ? [{ ...first, status_reason: 'wörter '.repeat(2_000) }] : [] }),
  )
  const pdf = await getDocumentProxy(new Uint8Array(await pdfOf(long)))
  onTestFinished(() => pdf.destroy())
  const texts = await Promise.all(
    Array.from({ length: pdf.numPages }, async (_, at) => piecesOf(await pdf.getPage(at + 1))),
  )

  expect(
    texts
      .flat()
      .map(({ text }) => text)
      .join(' '),
  ).toMatch(/… \(full text in\s+report\.html\)/)
})

describe('the report as HTML', () => {
  const text = reportHtml(report)

  test('escapes what people wrote, and loads nothing', () => {
    expect(text).toContain('Ada &amp; Söhne &lt;GmbH&gt;')
    expect(text).not.toMatch(/<script|<link|<img|src=|url\(|https?:/)
  })

  test('shows what the PDF shows: notes, each control, the ids of what fails, and the notice', () => {
    expect(text).toContain('1 file is not included.')
    expect(text).toContain('The records differ from the evidence chain in: approvals.')
    expect(inScope.filter(({ id }) => !text.includes(`<td>${id}</td>`))).toEqual([])
    expect(text).toContain('and 11 more')
    expect(text).toContain('accepted on 2026')
    expect(text.split(', self-approved').length).toBe(2)
    expect(text).toContain('● met   ◐ partially met')
    expect(text).toContain('5 more pieces of evidence stand in evidence/index.csv.')
    expect(text).toContain(sampleInput().notice)
    expect(text).toContain('办公室')
  })

  test('says that nothing is missing where nothing is', () => {
    const whole = reportHtml(auditReport(sampleInput({ omissions: [], populations: [], evidence: [] })))

    expect(whole).not.toContain('class="warning"')
    expect(whole).toContain('No evidence was submitted.')
  })
})
