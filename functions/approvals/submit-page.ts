import '../effects.ts'
import * as z from 'zod'
import { id } from '../../shared/base/wire/fields.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { PASSWORD_MAX } from '../../shared/identity/accounts/password.ts'
import { DecisionBody } from '../../shared/govern/approvals/votes/vote.ts'
import { submitForm } from '../../shared/people/approval-page/submit.ts'
import { approvals } from './routes.ts'

const text = (max: number) => z.string().max(max).optional()

export const shapes = {
  body: z.strictObject({
    token: z.string().max(128).describe('The token from the mail.'),
    step: z
      .enum(['password', 'passkey_only', 'code', 'passkey', 'deny', 'approve', 'confirm', 'reject', 'sign_out'])
      .describe('The button that was pressed.'),
    email: text(254).describe('The e-mail address.'),
    password: text(PASSWORD_MAX).describe('The password.'),
    mfa_token: text(128).describe('The token that continues the sign-in in the second step.'),
    methods: text(64).describe('The kinds of second factors that are accepted.'),
    code: text(64).describe('The one-time code.'),
    challenge_id: text(128).describe('Id of the challenge that is answered.'),
    credential: text(16_384).describe('The response of the authenticator (WebAuthn).'),
    reason: text(2_000).describe('The reason, for people.'),
    on_behalf_of: z
      .literal('')
      .or(id)
      .optional()
      .describe(
        'The person who is away, in whose name the vote is given. Your own id: in nobody else’s name, even if you could. Without it: your own vote where you may give one, else that for the one person who has delegated to you.',
      ),
    /** 60 s and more; policies shorten what is too long. */
    allow_for_s: z
      .string()
      .regex(/^([6-9]\d|[1-9]\d{2,4})?$/)
      .optional()
      .describe('For how long the same action may run again without being asked about, in seconds.'),
    digest: DecisionBody.shape.action_digest.describe('The digest of the action that the page showed.'),
    also: z
      .string()
      .max(4_096)
      .regex(/^[\w-]{1,64} sha256:[\da-f]{64}(,[\w-]{1,64} sha256:[\da-f]{64}){0,19}$/)
      .optional()
      .describe('Ids and digests of other approvals that the person decides with this one.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = endpoint(approvals.submitPage, shapes, ({ params, body, headers, ctx }) =>
  submitForm(ctx, { ...params, headers }, body),
)
