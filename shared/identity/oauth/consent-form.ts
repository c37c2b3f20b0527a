// The form by which a person agrees to what a client wants.
import { type Html, html } from '../../base/wire/page.ts'
import { type Form, framed } from './ask-pages.ts'
import type { OAuthScope } from './scopes.ts'

const MEANINGS: Record<OAuthScope, string> = {
  openid: 'know who you are here: an id, your organisation and your roles',
  profile: 'see your name',
  email: 'see your e-mail address',
  offline_access: 'keep this access while you are away',
  'diagnostic:read': 'read metrics, usage and the state of the service',
  'governance:read': 'read actions, approvals and policies',
  'evidence:read': 'read evidence',
  'agent:execute': 'run actions as far as you may run them yourself',
}

export const scopeList = (scopes: readonly OAuthScope[]): Html =>
  html`<ul>
    ${scopes.map((scope) => html`<li>${MEANINGS[scope]}</li>`)}
  </ul>`

/** Whoever started the sign-in gets the access, wherever they are. */
export const DEVICE_WARNING = html`<p>
  Allow this only if you started it yourself, a moment ago, on a device or in a command line of yours.
  <strong>If somebody sent you a code or a link, deny.</strong> They would act in your name.
</p>`

/**
 * `host`: undefined for a device, which gets its access without a redirect. `alias`: what the client calls itself, where
 * `client` is the host that vouches for it. `tools`: the tenant whose actions the client wants to use as tools.
 */
export type ConsentAsk = {
  /** The heading with name and logo of the tenant. */
  organisation: Html
  client: string
  alias?: string | undefined
  host: string | undefined
  email: string
  scopes: readonly OAuthScope[]
  tools?: string | undefined
}

export const consentForm = (
  form: Form,
  { organisation, client, alias, host, email, scopes, tools }: ConsentAsk,
): Html =>
  html`${organisation}
    <p>You are signed in as ${email}.</p>
    ${
      alias !== undefined &&
      html`<p class="host"><strong>${client}</strong></p>
        <p class="hint">It calls itself “${alias}”. Only the address above is certain.</p>`
    }
    ${
      tools !== undefined &&
      html`<p>${client} wants to connect to <strong>${tools}</strong> and use its actions as tools.</p>`
    }
    <p>${client} wants to:</p>
    ${scopeList(scopes)}
    <p class="hint">
      It can never do more than you can.${host !== undefined && html` Afterwards you return to ${host}.`}
    </p>
    ${host === undefined && DEVICE_WARNING}
    ${framed(
      form,
      html`<button name="step" value="allow">Allow</button>
        <button name="step" value="deny" class="second">Deny</button>`,
    )}`
