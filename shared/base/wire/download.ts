// Tables that people open in a spreadsheet.
import * as z from 'zod'
import { Failure } from '../lib/failure.ts'
import { attachment } from '../lib/export-text.ts'
import type { Headers } from './rest-event.ts'

/** Without it, spreadsheets read UTF-8 as the character set of the machine. Programs would take it for part of the first column. */
export const BOM = '\uFEFF'

export const BomQuery = z
  .enum(['true', 'false'])
  .optional()
  .describe('Whether CSV begins with a byte order mark, which spreadsheets need. By default only when a browser asks.')

type Asked = { format: string; bom: z.output<typeof BomQuery>; headers: Headers }

/** Whether the table begins with the mark: as the caller says, else where a browser opens the address. Throws 422 for other formats. */
export function wantsBom({ format, bom, headers }: Asked): boolean {
  if (format === 'csv') return bom === undefined ? isOpened(headers) : bom === 'true'
  if (bom === 'true')
    throw new Failure('invalid', [{ loc: ['query', 'bom'], msg: 'is for the format csv only', type: 'value_error' }])
  return false
}

/** A navigation of a browser, not a call of a script in it. */
const isOpened = (headers: Headers): boolean =>
  headers['sec-fetch-dest'] === 'document' || /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers['accept'] ?? '')

/** The headers of a table. `name`: of the file, as people see it. */
export const csvHeaders = (name: string) => ({
  'Content-Type': 'text/csv; charset=utf-8; header=present',
  'Content-Disposition': attachment(name),
})
