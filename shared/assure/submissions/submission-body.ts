// The body that submits evidence. It has exactly one source.
import * as z from 'zod'
import { displayName, optional, plainText } from '../../base/wire/fields.ts'
import { iso } from '../../base/lib/clock.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import { SUBMISSION_KINDS, SUBMISSION_SOURCES } from './submission.ts'

/** 50 MiB. */
export const FILE_BYTES_MAX = 52_428_800
/** RFC 9110, section 8.3.1, with at most one parameter. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,64}\/[\w!#$&^.+-]{1,64}(; ?[\w-]{1,32}=[\w.-]{1,64})?$/

const ControlRef = z.strictObject({
  framework_id: z.enum(FRAMEWORK_IDS).describe('Id of the framework.'),
  control_id: z.string().max(64).describe('Id of the control in the framework.'),
})

const File = z.strictObject({
  name: plainText(255).describe(
    'The name of the file, in any script. Downloads and archives keep it, without what is unsafe in a path.',
  ),
  content_type: z.string().regex(MEDIA_TYPE, 'must be a media type').describe('Media type of the file.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex')
    .describe('SHA-256 of the file, hex.'),
  size: z.int().min(1).max(FILE_BYTES_MAX).describe('Size in bytes.'),
})

const Instant = z.iso.datetime({ offset: true }).transform((time) => iso(Date.parse(time)))

/** Of a `not_applicable_justification`, which says why in its statement. Controls show it, so it is short. */
const JUSTIFICATION = { min: 20, max: 2_000 } as const

/** The member that each source requires. */
const MEMBERS = { file: 'file', url: 'url', statement: 'statement', artifact: 'artifact_id' } as const

export const SubmissionBody = z
  .strictObject({
    kind: z.enum(SUBMISSION_KINDS).describe('What kind of evidence it is.'),
    title: displayName(200).describe('A short title.'),
    description: optional(z.string().max(5_000)).describe('A description for people.'),
    control_refs: z.array(ControlRef).min(1).max(50).describe('The controls that the evidence supports.'),
    /** Default: now. */
    collected_at: optional(Instant).describe('When the evidence was collected.'),
    /** The period that it speaks of. */
    covers: optional(
      z.strictObject({
        from: z.iso.date().describe('The first day of the period.'),
        to: z.iso.date().describe('The last day of the period.'),
      }),
    ).describe('The period that the evidence speaks of, both days included.'),
    valid_until: optional(Instant).describe('When the evidence expires.'),
    source: z.enum(SUBMISSION_SOURCES).describe('How the evidence is provided.'),
    file: optional(File).describe('The uploaded file.'),
    /** Stored as a reference; the service never calls it. */
    url: optional(z.url({ protocol: /^https?$/ }).max(2_048)).describe('Address of the evidence.'),
    statement: optional(z.string().min(1).max(10_000)).describe('The evidence, as text.'),
    artifact_id: optional(z.string().regex(idPattern('art'), 'must be the id of an artifact')).describe(
      'Id of the artifact.',
    ),
  })
  .superRefine((body, check) => {
    for (const [source, member] of Object.entries(MEMBERS)) {
      const wanted = source === body.source
      if ((body[member] !== undefined) === wanted) continue
      const message = wanted ? 'is needed by this source' : 'does not belong to this source'
      check.addIssue({ code: 'custom', path: [member], message })
    }
  })
  .refine((body) => !body.collected_at || !body.valid_until || body.collected_at < body.valid_until, {
    path: ['valid_until'],
    error: 'must be after collected_at',
  })
  .refine(({ covers }) => !covers || covers.from <= covers.to, {
    path: ['covers', 'to'],
    error: 'must not be before covers.from',
  })
  .superRefine(({ kind, source, statement = '' }, check) => {
    if (kind !== 'not_applicable_justification') return
    const { min, max } = JUSTIFICATION
    if (source !== 'statement')
      check.addIssue({ code: 'custom', path: ['source'], message: 'must be statement for a justification' })
    else if (statement.trim().length < min || statement.length > max)
      check.addIssue({ code: 'custom', path: ['statement'], message: `must have ${min} to ${max} characters here` })
  })
export type SubmissionBody = z.output<typeof SubmissionBody>
