import '../effects.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { PASSWORD_MAX } from '../../shared/identity/accounts/password.ts'
import { submitForm } from '../../shared/people/approval-page/submit.ts'
import { approvals } from './routes.ts'

const text = (max: number) => z.string().max(max).optional()

export const shapes = {
  body: z.strictObject({
    token: z.string().max(128),
    step: z.enum(['password', 'code', 'passkey', 'deny', 'approve', 'confirm', 'reject', 'sign_out']),
    email: text(254),
    password: text(PASSWORD_MAX),
    mfa_token: text(128),
    methods: text(64),
    code: text(64),
    challenge_id: text(128),
    credential: text(16_384),
    reason: text(2_000),
    digest: z
      .string()
      .regex(/^sha256:[\da-f]{64}$/)
      .optional(),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(approvals.submitPage, shapes, ({ params, body, headers, ctx }) =>
  submitForm(ctx, { ...params, headers }, body),
)
