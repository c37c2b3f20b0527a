// Texts of files that people open or save: records of CSV (RFC 4180), and names of files.

/**
 * A text that a spreadsheet would read as a formula gets an apostrophe before it (OWASP, "CSV Injection"). Some spreadsheets also read
 * full-width signs as formulas.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const SPECIAL = /[",\r\n]/

/** One record with its line end. Nested values become JSON; null and undefined become empty cells. */
export const csvRecord = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

// Names of files that people uploaded or download keep their script. They lose folders, control characters, signs and names that a system
// reserves, which do harm where a file is saved.

const CHARACTERS_MAX = 100
/** File systems take 255 bytes; programs that store a download add some of their own. */
const BYTES_MAX = 200

/** Device names of Windows, with or without an ending. */
const RESERVED = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?=\.|$)/i
/** Controls of the writing direction make `fdp.exe` look like `exe.pdf`. */
const INVISIBLE = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu
const FORBIDDEN = /[<>:"|?*\uFFFD]/g

/** In a path of an archive: only letters and digits of any script, `_`, `-` and single dots inside, at most 100 characters. */
export function safeName(name: string): string {
  const plain = lastOf(name)
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]/gu, '_')
    .replaceAll(/\.{2,}/g, '.')
  return finished(plain.replace(/^\./, ''))
}

/**
 * The header that makes a browser store a download under this name (RFC 6266, RFC 8187): `filename*` as people wrote it, and
 * `filename` in ASCII for programs that do not read the other.
 */
export function attachment(name: string): string {
  const shown = finished(
    lastOf(name)
      .replaceAll(INVISIBLE, '')
      .replaceAll(FORBIDDEN, '_')
      .replace(/^[.\s]+/, ''),
  )
  const ascii = safeName(name).replaceAll(/\P{ASCII}/gu, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded(shown)}`
}

/** The characters that `encodeURIComponent` leaves and RFC 8187 does not. */
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

const lastOf = (name: string) => (name.split(/[/\\]/).at(-1) ?? '').toWellFormed().normalize('NFC')

const finished = (name: string) => shortened(name.replace(/[.\s]+$/, '').replace(RESERVED, '_$&')) || 'file'

/** Shortens before the ending, by which a system knows the program for a file. */
function shortened(name: string): string {
  const ending = /\.[^.]{1,16}$/.exec(name)?.[0] ?? ''
  const characters = Array.from(name.slice(0, name.length - ending.length))
  const isLong = () =>
    characters.length + ending.length > CHARACTERS_MAX || Buffer.byteLength(characters.join('') + ending) > BYTES_MAX
  while (characters.length > 0 && isLong()) characters.pop()
  return characters.join('').replace(/[.\s]+$/, '') + ending
}
