// The forms by which a person signs in (password, second factor) and agrees to the wishes of a client. They are plain forms that work
// without a script, by keyboard and with password managers. Only a passkey needs a script; without one the page offers other ways.
import { Html, html } from '../../../base/wire/page.ts'
import { PASSWORD_MAX } from '../../accounts/password.ts'
import type { PasskeyAsk } from '../../sign-in/passkey-ask.ts'
import type { OAuthScope } from '../scopes.ts'
import { hmacSha256, sameBytes } from '../../../base/lib/json.ts'

/** `token` binds the form to its browser; `problem` says why the last attempt failed; `hidden`: further fields to send along. */
export type Form = { token: string; problem?: string | undefined; hidden?: Html | undefined }

const framed = ({ token, problem, hidden }: Form, fields: Html) =>
  html`${problem !== undefined && html`<p role="alert" id="problem">${problem}</p>`}
    <form method="post">
      <input type="hidden" name="token" value="${token}" />
      ${hidden} ${fields}
    </form>`

/** Links a field to the message about the last attempt. */
const described = ({ problem }: Form) => problem !== undefined && new Html('aria-describedby="problem"')

/** The value of the pressed button is the step. Enter presses the first button, so Cancel comes last. */
const CANCEL = html`<button name="step" value="deny" class="second" formnovalidate>Cancel</button>`

/**
 * `organisation`: the heading with name and logo of the tenant. `host`: where the person goes afterwards. `sso_url`: starts the sign-in
 * at the tenant's identity provider.
 */
export type PasswordAsk = {
  organisation: Html
  client: string
  host?: string | undefined
  email: string
  forgotten_url: string
  sso_url?: string | undefined
  /** Undefined where a passkey alone is not enough. */
  passkey?: PasskeyAsk | undefined
}

export const passwordForm = (
  form: Form,
  { organisation, client, host, email, forgotten_url, sso_url, passkey }: PasswordAsk,
): Html =>
  html`${organisation}
    <p>to continue to ${client}</p>
    ${host !== undefined && html`<p class="hint">Afterwards you return to ${host}.</p>`}
    ${sso_url !== undefined && html`<p><a href="${sso_url}">Sign in with your organisation</a></p>`}
    ${passkey && passkeyForm(form, { step: 'passkey_only', challenge_id: '', options: passkey.options }, passkey.nonce)}
    ${framed(
      form,
      html`<label for="email">E-mail address</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="username"
          required
          value="${email}"
          ${email === '' && AUTOFOCUS}
          ${described(form)}
        />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          maxlength="${String(PASSWORD_MAX)}"
          ${email !== '' && AUTOFOCUS}
          ${described(form)}
        />
        <button name="step" value="password">Sign in</button>
        ${CANCEL}`,
    )}
    <p><a href="${forgotten_url}">Forgotten your password?</a></p>`

const AUTOFOCUS = new Html('autofocus')

/** `passkey`: JSON of the options for the browser. */
export type FactorAsk = {
  first: 'password' | 'sso' | 'session'
  codes: boolean
  passkey?: { challenge_id: string; options: string } | undefined
  nonce: string
}

const FIRST = {
  password: 'Your password is correct.',
  sso: 'Your organisation has signed you in.',
  session: 'You are signed in.',
}

export const factorForm = (form: Form, { first, codes, passkey, nonce }: FactorAsk): Html =>
  html`<p>${FIRST[first]} Now confirm that it is you.</p>
    ${passkey && passkeyForm(form, { step: 'passkey', ...passkey }, nonce)}
    ${framed(
      form,
      html`<label for="code">${codes ? 'Code from your app, or a recovery code' : 'Recovery code'}</label>
        <input
          id="code"
          name="code"
          autocomplete="one-time-code"
          autocapitalize="characters"
          spellcheck="false"
          required
          maxlength="20"
          ${!passkey && AUTOFOCUS}
          ${described(form)}
        />
        <button name="step" value="code">Continue</button>
        ${CANCEL}`,
    )}`

const passkeyForm = (
  { token, hidden }: Form,
  { step, challenge_id, options }: NonNullable<FactorAsk['passkey']> & { step: 'passkey' | 'passkey_only' },
  nonce: string,
) =>
  html`<form method="post" id="passkey" hidden data-options="${options}">
      <input type="hidden" name="token" value="${token}" />
      ${hidden}
      <input type="hidden" name="step" value="${step}" />
      <input type="hidden" name="challenge_id" value="${challenge_id}" />
      <input type="hidden" name="credential" />
      <p role="status" id="passkey-status"></p>
      <button>Use a passkey or security key</button>
    </form>
    <noscript><p>A passkey needs JavaScript, which is switched off here.</p></noscript>
    ${new Html(`<script nonce="${nonce}">${PASSKEY_SCRIPT}</script>`)}`

const PASSKEY_SCRIPT = `
const form = document.getElementById('passkey')
if (window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const status = document.getElementById('passkey-status')
    try {
      status.textContent = 'Follow the instructions of your browser.'
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.options))
      const credential = await navigator.credentials.get({ publicKey })
      form.elements.credential.value = JSON.stringify(credential.toJSON())
      form.submit()
    } catch {
      status.textContent = 'The passkey did not work. Try again, or another way.'
    }
  })
}
`

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

/** The person who started the sign-in gets the access, on any device. */
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

/** Binds a form to the interaction cookie of its browser, so that no other page can submit it. */
export const formToken = (key: Uint8Array, uid: string): string => hmacSha256(key, uid).toString('base64url')

export const isFormToken = (key: Uint8Array, uid: string, given: string): boolean =>
  sameBytes(Buffer.from(formToken(key, uid)), Buffer.from(given))
