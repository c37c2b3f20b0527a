import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { freeForm, id, optional } from '../../shared/base/wire/fields.ts'
import { Code, METHODS, mustHaveProof } from '../../shared/identity/mfa/show-factor.ts'
import { stepUp, verifySignIn } from '../../shared/identity/mfa/verify-sign-in.ts'
import { Tokens } from '../../shared/identity/sessions/sign-in-view.ts'
import { mfa } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    /** From the sign-in; absent when a session shows a factor again. */
    mfa_token: optional(z.string().max(100)).describe('The token that continues the sign-in in the second step.'),
    method: z.enum(METHODS).describe('The kind of second factor.'),
    code: optional(Code).describe('The one-time code.'),
    /** What `navigator.credentials.get` gave, in its JSON form. */
    credential: optional(freeForm).describe('The response of the authenticator (WebAuthn).'),
    /** Of the options that a session asked for. */
    challenge_id: optional(id).describe('Id of the challenge that is answered.'),
  }),
  response: z.union([Tokens, z.object({ mfa_at: z.string().describe('When the person last used a second factor.') })]),
}

/** Answers tokens when a sign-in is finished, the time of the proof for a session. */
export const handler = endpoint(mfa.verify, shapes, async ({ body: { mfa_token, ...input }, ctx }) => {
  mustHaveProof(input)
  return mfa_token === undefined ? stepUp(ctx, input) : verifySignIn(ctx, mfa_token, input)
})
