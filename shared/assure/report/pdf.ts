// The report as a tagged PDF on A4. Equal reports give equal bytes.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import PDFDocument from 'pdfkit'
import type { Report } from './block.ts'
import { drawBlock } from './pdf-blocks.ts'
import { BOLD, MARGIN, REGULAR, Sheet } from './pdf-sheet.ts'

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
