// CSV (RFC 4180) without formula injection: a text that a spreadsheet would read as a formula gets an apostrophe before it
// (OWASP, "CSV Injection"). Some spreadsheets also read full-width signs as formulas.
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
