// CSV (RFC 4180) that a spreadsheet shows and does not run: a text that a spreadsheet would take for a formula gets an
// apostrophe before it (OWASP, "CSV Injection"). Some spreadsheets read full-width signs like the others.
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const SPECIAL = /[",\r\n]/

/** One record with its end. Nested values become JSON; null and undefined become empty cells. */
export const csvRecord = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
