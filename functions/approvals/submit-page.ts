import '../effects.ts'
import * as z from 'zod'
import { id } from '../../shared/base/wire/fields.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { PASSWORD_MAX } from '../../shared/identity/accounts/password.ts'
import { DecisionBody } from '../../shared/govern/approvals/request.ts'
import { submitForm } from '../../shared/people/approval-page/submit.ts'
import { approvals } from './routes.ts'

const text = (max: number) => z.string().max(max).optional()

export const shapes = {
  body: z.strictObject({
    token: z.string().max(128),
    step: z.enum(['password', 'passkey_only', 'code', 'passkey', 'deny', 'approve', 'confirm', 'reject', 'sign_out']),
    email: text(254),
    password: text(PASSWORD_MAX),
    mfa_token: text(128),
    methods: text(64),
    code: text(64),
    challenge_id: text(128),
    credential: text(16_384),
    reason: text(2_000),
    on_behalf_of: z.literal('').or(id).optional(),
    /** 60 s and more; policies shorten what is too long. */
    allow_for_s: z
      .string()
      .regex(/^([6-9]\d|[1-9]\d{2,4})?$/)
      .optional(),
    digest: DecisionBody.shape.action_digest,
    /** Ids and digests of other approvals that the person decides with this one. */
    also: z
      .string()
      .max(4_096)
      .regex(/^[\w-]{1,64} sha256:[\da-f]{64}(,[\w-]{1,64} sha256:[\da-f]{64}){0,19}$/)
      .optional(),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(approvals.submitPage, shapes, ({ params, body, headers, ctx }) =>
  submitForm(ctx, { ...params, headers }, body),
)
