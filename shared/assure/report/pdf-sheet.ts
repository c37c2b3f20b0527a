// The page being filled: where the next block goes, in which font, and as which element of the structure for screen readers.
import { create, type Font } from 'fontkit'
import type PDFDocument from 'pdfkit'

/** In points, as all lengths here. */
export const MARGIN = 56
export const REGULAR = 'regular'
export const BOLD = 'bold'

const FOOTER_SIZE = 8
const TEXT = '#1b1f24'
const SOFT = '#57606a'

export type Style = { size: number; bold?: boolean; colour?: string; gap?: number }
export type Place = { x: number; width: number }

type Document = InstanceType<typeof PDFDocument>
type Element = ReturnType<Document['struct']>

export class Sheet {
  readonly doc: Document
  readonly #root: Element
  readonly #glyphs: Font

  constructor(doc: Document, font: Uint8Array) {
    this.doc = doc
    const made = create(Buffer.from(font))
    if (!('hasGlyphForCodePoint' in made)) throw new Error('the font file holds several fonts')
    this.#glyphs = made
    this.#root = doc.struct('Document')
    doc.addStructure(this.#root)
  }

  get whole(): Place {
    return { x: MARGIN, width: this.doc.page.width - 2 * MARGIN }
  }

  get #bottom(): number {
    return this.doc.page.height - MARGIN
  }

  /** Begins a page when less than `height` is left. True when it did. */
  reserve(height: number): boolean {
    if (this.doc.y + height <= this.#bottom || this.#atTop()) return false
    this.doc.addPage()
    return true
  }

  breakPage(): void {
    if (!this.#atTop()) this.doc.addPage()
  }

  #atTop(): boolean {
    return this.doc.y <= MARGIN
  }

  heightOf(text: string, style: Style, { width }: Place): number {
    return this.#styled(style).heightOfString(this.#drawable(text), { width })
  }

  /** Writes at the cursor, which moves below the text. */
  write(text: string, style: Style, { x, width }: Place = this.whole): void {
    this.#styled(style).text(this.#drawable(text), x, this.doc.y, { width })
    this.doc.y += style.gap ?? 0
  }

  /** Adds an element of the structure tree; `draw` makes its content. */
  tag(name: string, draw: () => void, parent: Element = this.#root, options: { alt?: string } = {}): void {
    parent.add(this.doc.struct(name, options, draw))
  }

  /** Adds an element that holds others. */
  group(name: string, parent: Element = this.#root): Element {
    const element = this.doc.struct(name)
    parent.add(element)
    return element
  }

  /** Decoration, which screen readers skip. */
  decorate(draw: () => void): void {
    this.doc.markContent('Artifact', { type: 'Layout' })
    draw()
    this.doc.endMarkedContent()
  }

  /** Writes the footers and closes the document. */
  end(footer: string): void {
    this.#root.end()
    const { start, count } = this.doc.bufferedPageRange()
    for (let page = start; page < start + count; page += 1) {
      this.doc.switchToPage(page)
      this.doc.page.margins.bottom = 0 // text below the margin would begin another page
      this.doc.markContent('Artifact', { type: 'Pagination' })
      this.#styled({ size: FOOTER_SIZE, colour: SOFT }).text(
        `${footer}, page ${page + 1} of ${count}`,
        MARGIN,
        this.#bottom + MARGIN / 3,
        { width: this.whole.width, lineBreak: false },
      )
      this.doc.endMarkedContent()
    }
    this.doc.end()
  }

  #styled({ size, bold = false, colour = TEXT }: Style): Document {
    return this.doc
      .font(bold ? BOLD : REGULAR)
      .fontSize(size)
      .fillColor(colour)
  }

  /** The font has no glyph for some scripts. */
  #drawable(text: string): string {
    const drawn = Array.from(text, (character) => (this.#hasGlyph(character) ? character : '□')).join('')
    return drawn === text ? text : `${drawn} (full text in report.html)`
  }

  #hasGlyph(character: string): boolean {
    const point = character.codePointAt(0) ?? 0
    return character === '\n' || this.#glyphs.hasGlyphForCodePoint(point)
  }
}
