// Chooses the next page of an interaction and fills it.
import { openTable } from '../../../base/context.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import type { Failure } from '../../../base/lib/failure.ts'
import { factorsOf } from '../../mfa/factor.ts'
import { askForPasskey } from '../../mfa/webauthn-options.ts'
import { newSecret } from '../../access/one-time.ts'
import { forgottenUrl } from '../../access/way-back.ts'
import { passkeyAsk } from '../../sign-in/passkey-ask.ts'
import { interactionUrl, startUrl } from '../../sso/addresses.ts'
import { ssoConfigurations } from '../../sso/settings/configuration.ts'
import { shownAddress, users } from '../../accounts/user.ts'
import { headingOf } from '../../logo/heading.ts'
import { consentForm, factorForm, formToken, passwordForm } from './forms.ts'
import { requestedResources, requestedScopes } from '../consent.ts'
import { isDocumentUrl } from '../../artefacts/artefact.ts'
import { show } from './end-pages.ts'
import { tenantOfTools } from '../resources.ts'
import { findHalf, type HalfSignIn, ownerOf } from './sign-in.ts'
import type { Step } from '../interaction.ts'
import { originOf } from '../../../base/lib/redirect-uri.ts'
import { contextIn, currentRequest } from '../current-request.ts'

type Outcome = { problem?: string; status?: number }

/** Shows the current page of the interaction. */
export async function askNext(step: Step, outcome: Outcome = {}): Promise<void> {
  const { interaction, client } = step
  if (interaction.prompt.name !== 'login') return askForConsent(step)
  const ctx = contextIn(client.tenant_id)
  const half = await findHalf(ctx.table, interaction.uid)
  const owner = half && (await ownerOf(ctx, half))
  return half && owner ? askForFactor(step, half, outcome) : askForPassword(step, outcome)
}

/** Shows the same page again with the reason of the failure. */
export async function askAgain(step: Step, { detail, status, options }: Failure): Promise<void> {
  const wait = options.retryAfterSeconds
  if (wait !== undefined) step.ctx.set('Retry-After', String(wait))
  const text = typeof detail === 'string' ? detail : 'Please check what you have entered.'
  await askNext(step, { problem: sentence(text), status })
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`

/** Each form may end in a redirect to the client, so `form-action` must allow the client's origin. */
const targetsOf = ({ interaction }: Step) => {
  const { redirect_uri } = interaction.params
  return redirect_uri === undefined ? [] : [originOf(redirect_uri)]
}

const formOf = ({ formKey, interaction }: Step, { problem }: Outcome = {}) => ({
  token: formToken(formKey, interaction.uid),
  problem,
})

/** A client that a document describes is known by the host of the document; the name is what it calls itself. */
const nameOf = ({ client: { clientId, clientName } }: Step) =>
  isDocumentUrl(clientId) ? new URL(clientId).host : (clientName ?? clientId)

async function askForPassword(step: Step, outcome: Outcome): Promise<void> {
  const { client, interaction } = step
  const email = currentRequest().form.get('email') ?? interaction.params.login_hint ?? ''
  const { tenant_id } = client
  const tenant = await tenantOf(openTable(), tenant_id)
  const [sso, organisation] = await Promise.all([
    openTable().get(ssoConfigurations, { tenant_id }),
    headingOf(openTable(), tenant),
  ])
  const passkey = await passkeyAsk(contextIn(tenant_id), tenant)
  const elsewhere = { tenant: client.tenant_id, interaction: interaction.uid }
  const content = passwordForm(formOf(step, outcome), {
    organisation,
    client: nameOf(step),
    host: targetsOf(step)[0],
    email,
    forgotten_url: await forgottenUrl(tenant_id, interactionUrl(interaction.uid)),
    sso_url: sso?.enabled ? startUrl(sso.protocol, elsewhere) : undefined,
    passkey,
  })
  show(step.ctx, 'Sign in', content, {
    formTargets: targetsOf(step),
    nonce: passkey?.nonce,
    status: outcome.status ?? 200,
  })
}

async function askForFactor(step: Step, { user_id: id, method: first }: HalfSignIn, outcome: Outcome): Promise<void> {
  const ctx = contextIn(step.client.tenant_id)
  const person = { id, tenant_id: step.client.tenant_id }
  const known = await factorsOf(ctx.table, person)
  const passkey = await askForPasskey(ctx, person, known)
  const nonce = passkey && newSecret(ctx.random)
  const content = factorForm(formOf(step, outcome), {
    first,
    codes: known.some(({ type }) => type === 'totp'),
    passkey: passkey && { challenge_id: passkey.challenge_id, options: JSON.stringify(passkey.options) },
    nonce: nonce ?? '',
  })
  show(step.ctx, 'Second factor', content, { formTargets: targetsOf(step), nonce, status: outcome.status ?? 200 })
}

async function askForConsent(step: Step): Promise<void> {
  const { interaction, client } = step
  const id = interaction.session?.accountId ?? ''
  const { tenant_id } = client
  const tools = requestedResources(interaction).some((resource) => tenantOfTools(resource) === tenant_id)
  const tenant = await tenantOf(openTable(), tenant_id)
  const [user, organisation] = await Promise.all([
    openTable().get(users, { tenant_id, id }),
    headingOf(openTable(), tenant),
  ])
  const content = consentForm(formOf(step), {
    client: nameOf(step),
    alias: isDocumentUrl(client.clientId) ? client.clientName : undefined,
    host: targetsOf(step)[0],
    email: (user && shownAddress(user)) ?? user?.name ?? '',
    scopes: requestedScopes(interaction),
    organisation,
    tools: tools ? tenant.name : undefined,
  })
  show(step.ctx, 'Give access?', content, { formTargets: targetsOf(step), status: 200 })
}
