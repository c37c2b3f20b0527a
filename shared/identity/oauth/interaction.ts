// The pages of an authorisation: sign-in, second factor, consent. The interaction cookie identifies the authorisation of a
// browser, and every form is bound to that cookie.
import * as z from 'zod'
import {
  errors,
  type Client,
  type Interaction,
  type InteractionResult,
  type Provider,
  type RequestContext,
} from 'oidc-provider'
import { Failure } from '../../base/lib/failure.ts'
import { alarm } from '../../base/lib/log.ts'
import { Email, PASSWORD_MAX } from '../accounts/password.ts'
import { giveConsent } from './consent.ts'
import { errorPage, OUTAGE } from './pages/end-pages.ts'
import { isFormToken } from './pages/forms.ts'
import { askAgain, askNext } from './pages/ask.ts'
import { interactionUrl } from '../sso/addresses.ts'
import { objectIn, proofIn } from '../mfa/show-factor.ts'
import { contextIn, currentRequest } from './current-request.ts'
import {
  type Login,
  type Password,
  signInByCode,
  signInByFactor,
  signInByPasskey,
  signInByPassword,
} from './pages/sign-in.ts'

/** One request of a browser during an interaction. */
export type Step = { ctx: RequestContext; interaction: Interaction; client: Client; formKey: Uint8Array }

const PATH = /^\/oauth\/interaction\/[\w-]+$/

export const interactionPages =
  (provider: Provider, formKey: Uint8Array) =>
  async (ctx: RequestContext, next: () => Promise<void>): Promise<void> => {
    if (!PATH.test(ctx.path)) return next()
    try {
      const interaction = await provider.interactionDetails(ctx.req, ctx.res)
      currentRequest().resource = interaction.params.resource
      const client = await provider.Client.find(interaction.params.client_id ?? '')
      if (!client) throw new errors.SessionNotFound('client not found')
      const step = { ctx, interaction, client, formKey }
      const result =
        ctx.method === 'POST' ? await handleForm(provider, step) : await continueWithoutForm(provider, step)
      if (result) return await finishPrompt(provider, ctx, result)
      if (ctx.body === undefined) await askNext(step)
    } catch (error) {
      await showError(ctx, error)
    }
  }

async function showError(ctx: RequestContext, error: unknown): Promise<void> {
  if (error instanceof errors.OIDCProviderError) {
    ctx.status = error.statusCode
    return errorPage(ctx, {
      error: error.error,
      error_description: 'The sign-in has ended, or it began in another browser.',
    })
  }
  alarm('oauth_failed', error)
  ctx.status = 503
  return errorPage(ctx, OUTAGE)
}

/** Redirects back to the library, which asks for the next step or answers the client. */
async function finishPrompt(provider: Provider, ctx: RequestContext, result: InteractionResult): Promise<void> {
  goTo(ctx, await provider.interactionResult(ctx.req, ctx.res, result))
}

function goTo(ctx: RequestContext, url: string): void {
  ctx.set('Location', url)
  ctx.status = 303
  ctx.body = ''
}

/** Steps without a form: the return from an identity provider, and a client that needs no consent. */
async function continueWithoutForm(provider: Provider, step: Step): Promise<InteractionResult | undefined> {
  const { interaction, client, ctx } = step
  const { code } = ctx.query
  if (interaction.prompt.name === 'login' && typeof code === 'string') {
    const login = await tryLogin(step, () => signInByCode(contextIn(client.tenant_id), interaction.uid, code))
    // The code is used up, so the next page must not have it in its address.
    if (!login && ctx.body === undefined) goTo(ctx, interactionUrl(interaction.uid))
    return login
  }
  if (interaction.prompt.name !== 'consent') return undefined
  if (!client.skip_consent || interaction.deviceCode !== undefined) return undefined
  return { consent: { grantId: await giveConsent(provider, ctx, interaction) } }
}

/** Handles a submitted form. Undefined: a page has been shown, or the next one is due. */
async function handleForm(provider: Provider, step: Step): Promise<InteractionResult | undefined> {
  const { form } = currentRequest()
  const { interaction, formKey } = step
  if (!isFormToken(formKey, interaction.uid, form.get('token') ?? '')) throw new errors.SessionNotFound('foreign form')
  const button = form.get('step') ?? ''
  if (button === 'deny') return { error: 'access_denied', error_description: 'The person did not agree.' }
  if (interaction.prompt.name === 'login') return tryLogin(step, () => signIn(step, button, form))
  if (button !== 'allow') return undefined
  return { consent: { grantId: await giveConsent(provider, step.ctx, interaction) } }
}

/** Undefined: the page has been shown again with the reason of the failure, or the second factor is due. */
async function tryLogin(step: Step, run: () => Promise<Login | undefined>): Promise<InteractionResult | undefined> {
  try {
    const login = await run()
    return login && { login }
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error
    await askAgain(step, error)
    return undefined
  }
}

async function signIn(
  { client, interaction }: Step,
  button: string,
  form: URLSearchParams,
): Promise<Login | undefined> {
  const ctx = contextIn(client.tenant_id)
  const text = (name: string) => form.get(name)?.trim() ?? ''
  if (button === 'password') {
    return signInByPassword(ctx, interaction.uid, readPassword(text('email'), form.get('password')))
  }
  if (button === 'passkey_only') return signInByPasskey(ctx, objectIn(text('credential')))
  if (button !== 'code' && button !== 'passkey') return undefined
  const fields = {
    step: button,
    code: text('code'),
    challenge_id: text('challenge_id'),
    credential: text('credential'),
  }
  return signInByFactor(ctx, interaction.uid, proofIn(fields))
}

/** Throws 422 for an address or password that no account can have. */
function readPassword(email: string, password: string | null): Password {
  const given = PasswordForm.safeParse({ email, password })
  if (!given.success) throw new Failure('invalid', [])
  return given.data
}

const PasswordForm = z.object({ email: Email, password: z.string().min(1).max(PASSWORD_MAX) })
