// The service as its own process, started the way `npm start` does it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Running, run } from './process.ts'

/** What somebody signs in with. */
type Person = { email: string; password: string }

/** What a start writes into `credentials.json`, as far as journeys read it. */
export type Credentials = {
  api_url: string
  app_url: string
  tenant_id: string
  live_key: string
  approver_key: string
  owner: Person
  approver: Person
}

export type Service = { process: Running<string>; credentials: Credentials }

/** Ports of an earlier start, for those to whom the service must still be where it was; otherwise any that are free. */
export async function startService(data: string, before?: Credentials): Promise<Service> {
  const local = new URL('../../bin/local.ts', import.meta.url).pathname
  const portOf = (url: string | undefined) => (url === undefined ? '0' : new URL(url).port)
  const process = run<string>([local], (text) => text, {
    COUNTERSIGN_DATA_DIR: data,
    COUNTERSIGN_SPEED: '60',
    COUNTERSIGN_DOCS: 'on-demand',
    API_PORT: portOf(before?.api_url),
    APP_PORT: portOf(before?.app_url),
    PROVIDERS_PORT: '0',
  })
  await process.until((line): line is string => line.includes('Ctrl-C'))
  return { process, credentials: JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8')) }
}

// A test looks wherever it likes into a body; what it finds there is checked by its own expectations.
// oxlint-disable-next-line typescript/no-explicit-any
export type Reply = { status: number; body: any }

/** `credential`: an API key or an access token; undefined for who has none yet. Comes back when the service says so. */
export async function ask(method: string, url: string, credential: string | undefined, body?: object): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...presented(credential) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (response.status === 429) {
    await wait(Number(response.headers.get('retry-after')) * 1_000)
    return ask(method, url, credential, body)
  }
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** The access token of a person. */
export async function signIn({ api_url }: Credentials, { email, password }: Person): Promise<string> {
  const { status, body } = await ask('POST', `${api_url}/api/v1/auth/login`, undefined, { email, password })
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
  return body.access_token
}

function presented(credential: string | undefined): Record<string, string> {
  if (credential === undefined) return {}
  return credential.startsWith('ak_') ? { 'x-api-key': credential } : { authorization: `Bearer ${credential}` }
}
