// Codes and tokens of the provider: signed values, so that they outlive a restart. What was used or revoked is remembered.
import { createHmac, timingSafeEqual } from 'node:crypto'

export type Grant = {
  kind: 'code' | 'access' | 'refresh'
  connector: string
  client_id: string
  scope: string
  /** One authorisation: revoking any of its tokens ends it. */
  family: string
  /** Of a code. */
  redirect_uri?: string
  challenge?: string
  serial: number
  /** ms; 0: never. */
  ends: number
}

export class Tokens {
  readonly #secret: Buffer
  readonly #now: () => number
  readonly #used = new Set<string>()
  readonly #revoked = new Set<string>()
  #serial = 0

  constructor(secret: Buffer, now: () => number) {
    this.#secret = secret
    this.#now = now
  }

  issue(grant: Omit<Grant, 'serial' | 'ends'>, seconds: number): string {
    this.#serial += 1
    const ends = seconds === 0 ? 0 : this.#now() + seconds * 1_000
    const body = Buffer.from(JSON.stringify({ ...grant, serial: this.#now() * 1_000 + this.#serial, ends }))
    return `${grant.kind}_${body.toString('base64url')}.${this.#sign(body)}`
  }

  read(token: string, kind: Grant['kind']): Grant | undefined {
    const [, encoded = '', signature = ''] = /^\w+?_([\w-]+)\.([\w-]+)$/.exec(token) ?? []
    const body = Buffer.from(encoded, 'base64url')
    const [given, own] = [Buffer.from(signature), Buffer.from(this.#sign(body))]
    if (given.length !== own.length || !timingSafeEqual(given, own)) return undefined
    const grant: Grant = JSON.parse(body.toString())
    const isOver = grant.ends !== 0 && grant.ends <= this.#now()
    return grant.kind !== kind || isOver || this.#revoked.has(grant.family) || this.#used.has(token) ? undefined : grant
  }

  /** Codes and refresh tokens work once; a second use ends the whole authorisation (RFC 9700 §4.14). */
  use(token: string, kind: 'code' | 'refresh'): Grant | undefined {
    const grant = this.read(token, kind)
    if (grant) this.#used.add(token)
    return grant
  }

  revoke(token: string): void {
    const grant = this.read(token, 'access') ?? this.read(token, 'refresh')
    if (grant) this.#revoked.add(grant.family)
  }

  #sign(body: Buffer): string {
    return createHmac('sha256', this.#secret).update(body).digest('base64url')
  }
}
