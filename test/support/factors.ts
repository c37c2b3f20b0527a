// Second factors as people hold them: an authenticator app that reads the secret it is shown, and a passkey in software.
import { AuthenticatorEmulator, WebAuthnEmulator } from 'nid-webauthn-emulator'
import { mfa } from '../../functions/mfa/routes.ts'
import { codeAt, stepAt } from '../../shared/identity/mfa/totp.ts'
import type { Reply } from './call.ts'
import type { LocalStack } from './local-stack.ts'
import type { SignedIn } from './sign-in.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** What `toBase32` was given. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** An app with one secret, on a phone whose clock is right. */
export class App {
  readonly #secret: Buffer
  readonly #clock: LocalStack['clock']

  constructor(secret: string, clock: LocalStack['clock']) {
    this.#secret = fromBase32(secret)
    this.#clock = clock
  }

  /** The code of the present step, or of one that many steps away. */
  code(steps = 0): string {
    return codeAt(this.#secret, stepAt(this.#clock.now()) + steps)
  }

  /** Waits for the next step, since a code works once. */
  nextCode(): string {
    this.#clock.moveTo(this.#clock.now() + STEP_MS)
    return this.code()
  }

  /** Not a code of any step that is near. */
  wrongCode(): string {
    const near = [-2, -1, 0, 1, 2].map((steps) => this.code(steps))
    return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? ''
  }
}

export type Enrolled = { factor_id: string; app: App }

/** Begins and confirms an app. Throws when the service does not take it. */
export async function enrolTotp(local: LocalStack, { call }: Pick<SignedIn, 'call'>): Promise<Enrolled> {
  const begun = await call(mfa.beginTotp, { body: {} })
  if (begun.status !== 201) throw new Error(`no app: ${begun.status} ${JSON.stringify(begun.body)}`)
  const app = new App(begun.body.secret, local.clock)
  const confirmed = await call(mfa.confirmTotp, { body: { factor_id: begun.body.factor_id, code: app.code() } })
  if (confirmed.status !== 200) throw new Error(`not confirmed: ${JSON.stringify(confirmed.body)}`)
  return { factor_id: begun.body.factor_id, app }
}

/**
 * Lets a session show a factor, as changes of how people come in need it. The factor is taken away again, so that later
 * sign-ins of the person are not asked for one.
 */
export async function showFactor<S extends Pick<SignedIn, 'call'>>(local: LocalStack, session: S): Promise<S> {
  const { factor_id } = await enrolTotp(local, session)
  const { status } = await session.call(mfa.removeFactor, { params: { factor_id } })
  if (status !== 204) throw new Error(`factor not removed: ${status}`)
  return session
}

export const newEmulator = (options: ConstructorParameters<typeof AuthenticatorEmulator>[0] = {}): WebAuthnEmulator =>
  new WebAuthnEmulator(new AuthenticatorEmulator(options))

/** Asks for options and answers them with the emulator. */
export async function enrolPasskey(
  { call }: Pick<SignedIn, 'call'>,
  emulator: WebAuthnEmulator,
  origin: string,
): Promise<Reply> {
  const { body } = await call(mfa.passkeyOptions, { body: { purpose: 'register' } })
  const credential = emulator.createJSON(origin, body.options)
  return call(mfa.addPasskey, { body: { challenge_id: body.challenge_id, credential, name: 'Laptop' } })
}
