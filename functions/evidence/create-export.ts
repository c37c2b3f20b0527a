import * as z from 'zod'
import { ExportView, readExport, requestExport } from '../../shared/assure/exports/request.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { evidence } from './routes.ts'

const Instant = z.iso.datetime({ offset: true })
const Sequence = z.int().min(0)

const Body = z
  .strictObject({
    start_at: optional(Instant).describe('The beginning of the window.'),
    end_at: optional(Instant).describe('The end of the window, exclusive.'),
    from_sequence: optional(Sequence).describe('The first position, inclusive.'),
    to_sequence: optional(Sequence).describe('The last position, inclusive.'),
    include_payloads: optional(z.boolean()).describe(
      'Whether to add the payloads that artifacts commit to. This needs the permission to read them.',
    ),
  })
  .refine(({ start_at, end_at }) => !start_at || !end_at || Date.parse(start_at) < Date.parse(end_at), {
    path: ['end_at'],
    error: 'must be after start_at',
  })
  .refine(({ from_sequence = 0, to_sequence = Infinity }) => from_sequence < to_sequence, {
    path: ['to_sequence'],
    error: 'must be above from_sequence',
  })
  .refine((body) => !((body.start_at ?? body.end_at) && (body.from_sequence ?? body.to_sequence) !== undefined), {
    error: 'must be a range of times or of sequences, not both',
  })

export const shapes = { body: Body, response: ExportView }

/** The range is extended to the checkpoints around it. Upper bounds are exclusive. */
export const handler = endpoint(
  evidence.createExport,
  shapes,
  ({ body: { include_payloads = false, ...range }, ctx }) =>
    requestExport(ctx, { type: 'evidence', ...range, include_payloads }),
  { replay: async (ctx, id) => httpResponse(202, await readExport(ctx, id)) },
)
