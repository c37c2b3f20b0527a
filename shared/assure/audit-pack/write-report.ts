// Writes the report for people.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../../base/lib/env.ts'
import { reportHtml } from '../report/html.ts'
import { writePdf } from '../report/pdf.ts'
import { auditReport } from '../report/report.ts'
import type { ReportInput } from '../report/report-input.ts'
import type { Archive } from './archive.ts'
import { AUDIT } from './audit-manifest.ts'

export async function writeReport(archive: Archive, input: ReportInput, folder: string): Promise<void> {
  const report = auditReport(input)
  await archive.add(AUDIT.html, [reportHtml(report)])
  const path = join(folder, 'report.pdf')
  const [regular, bold] = await Promise.all([readFile(env('FONT_FILE')), readFile(env('BOLD_FONT_FILE'))])
  await writePdf(report, path, { regular, bold })
  await archive.addFile(AUDIT.pdf, path)
}
