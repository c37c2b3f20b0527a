import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type * as client from 'openid-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { clients } from '../../../functions/clients/routes.ts'
import { dynamodb } from '../../../shared/base/aws/clients.ts'
import { endGrants } from '../../../shared/identity/artefacts/end-grant.ts'
import { accountPartition } from '../../../shared/identity/artefacts/artefact.ts'
import { openTable } from '../../../shared/base/context.ts'
import { Browser } from '../../support/browser.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import {
  agree,
  authorizationRequest,
  CODE_CLIENT,
  discovered,
  exchange,
  followClock,
  newClient,
} from '../../support/oauth.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let config: client.Configuration
let secret: string
let secrets: Record<string, string>

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  const made = await newClient(acme, { ...CODE_CLIENT, type: 'confidential' })
  secret = made.client_secret ?? ''
  config = await discovered(local, made)
  secrets = await everySecret()
})
afterAll(() => {
  vi.restoreAllMocks()
})

/** All that somebody could use, from one whole sign-in. */
async function everySecret(): Promise<Record<string, string>> {
  const asked = await authorizationRequest(config)
  const browser = new Browser(local.appUrl)
  const page = await browser.open(asked.url.href)
  const interaction = page.url.split('/').at(-1) ?? ''
  const place = await agree(browser, asked.url, acme.owner)
  const code = new URL(place.url).searchParams.get('code') ?? ''
  const { access_token, refresh_token = '', id_token = '' } = await exchange(config, place, asked)
  const registration = await acme.call(clients.createRegistrationToken, { body: { expires_in: 600 } })
  const session = browser.cookie('oauth') ?? ''
  return {
    secret,
    interaction,
    code,
    access_token,
    refresh_token,
    id_token,
    session,
    registration: registration.body.token,
  }
}

/** The whole table as text; bytes as they are. */
async function dump(): Promise<string> {
  const { Items = [] } = await dynamodb().send(new ScanCommand({ TableName: openTable().name }))
  return Items.map((item) =>
    JSON.stringify(unmarshall(item), (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    ),
  ).join('\n')
}

test('no token, code, cookie or secret can be read from the table', async () => {
  const text = await dump()

  expect(text).toContain('OIDC#RefreshToken#')
  expect(text).toContain('OIDC#AuthorizationCode#')
  for (const [name, value] of Object.entries(secrets)) {
    expect(value, name).not.toBe('')
    expect(text, name).not.toContain(value)
  }
})

test('the grants of a person are found by the person, and can be cleared away', async () => {
  const table = openTable()
  const pk = accountPartition(acme.owner.id)

  const grants = { pk, index: 'gsi1', prefix: 'Grant#' } as const
  const keys = await table.keys(grants)
  const ended = await endGrants({ table }, acme.owner.id)

  expect(keys.length).toBeGreaterThan(0)
  expect(ended).toBe(keys.length)
  expect(await table.keys(grants)).toEqual([])
  expect(await table.keys({ pk, index: 'gsi1' })).not.toEqual([]) // a registration token of theirs
})
