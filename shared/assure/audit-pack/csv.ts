import { csvRecord } from '../../base/lib/csv.ts'

type Values = Readonly<Record<string, unknown>>

/** The header of a document, and the text of its rows. */
export const csvHead = (columns: readonly string[]): string => csvRecord(columns)

export const csvRows = (columns: readonly string[], rows: readonly Values[]): string =>
  rows.map((row) => csvRecord(columns.map((name) => row[name]))).join('')

export const csvDocument = (columns: readonly string[], rows: readonly Values[]): string[] => [
  csvHead(columns),
  csvRows(columns, rows),
]

/** Codes that stand in one cell. */
export const inCell = (codes: readonly string[]): string => codes.join(' ')
