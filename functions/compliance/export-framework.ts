import * as z from 'zod'
import { AuditDocument, auditDocument, OscalDocument } from '../../shared/assure/audit-pack/document.ts'
import { AuditBody, requestAudit } from '../../shared/assure/audit-pack/request-audit.ts'
import { ExportView, readExport } from '../../shared/assure/exports/request.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { BomQuery, wantsBom } from '../../shared/base/wire/download.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = {
  query: z.object({ bom: BomQuery }),
  body: AuditBody,
  response: z.union([ExportView, AuditDocument, OscalDocument, z.string()]),
}

/** An archive is made in the background. The other formats are small, and answered at once. */
export const handler = endpoint(
  compliance.exportFramework,
  shapes,
  async ({ params: { id }, query, body, headers, ctx }) => {
    const { format = 'zip' } = body
    const bom = wantsBom({ format, bom: query.bom, headers })
    if (format !== 'zip') return auditDocument(ctx, id, { ...body, format, bom })
    const view = await requestAudit(ctx, id, body)
    return httpResponse(202, view, { Location: view.poll })
  },
  { replay: async (ctx, ref) => httpResponse(202, await readExport(ctx, ref)) },
)
