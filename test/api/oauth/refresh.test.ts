import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { TestTenant } from '../../support/local-stack.ts'
import { auditedActions, authorized, discovered, followClock, newClient } from '../../support/oauth.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let config: client.Configuration

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  config = await discovered(local, await newClient(acme))
})
afterAll(() => {
  vi.restoreAllMocks()
})

const refused = (error: string) => expect.objectContaining({ error })

/** The refresh token of a fresh grant. */
async function granted(): Promise<string> {
  const { tokens } = await authorized(local, config, acme.owner)
  return tokens.refresh_token ?? ''
}

describe('refreshing', () => {
  test('each refresh gives new tokens and another refresh token', async () => {
    const first = await granted()

    const second = await client.refreshTokenGrant(config, first)
    const third = await client.refreshTokenGrant(config, second.refresh_token ?? '')

    expect(new Set([first, second.refresh_token, third.refresh_token]).size).toBe(3)
    expect(third).toMatchObject({ expires_in: 900, scope: 'openid profile email offline_access governance:read' })
    expect(third.claims()).toMatchObject({ sub: acme.owner.id, amr: ['pwd'] })
  })

  test('a refresh token that comes twice ends its whole grant', async () => {
    const first = await granted()
    const { refresh_token: second = '' } = await client.refreshTokenGrant(config, first)

    await expect(client.refreshTokenGrant(config, first)).rejects.toEqual(refused('invalid_grant'))
    await expect(client.refreshTokenGrant(config, second)).rejects.toEqual(refused('invalid_grant'))

    expect(await auditedActions(acme)).toContain('oauth_grant.revoked')
  })

  test('of eight refreshes at once one succeeds', async () => {
    const token = await granted()

    const all = await Promise.allSettled(Array.from({ length: 8 }, () => client.refreshTokenGrant(config, token)))

    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toEqual(refused('invalid_grant'))
  })

  test('it can ask for less, not for more', async () => {
    const token = await granted()

    const less = await client.refreshTokenGrant(config, token, { scope: 'openid governance:read' })
    const more = client.refreshTokenGrant(config, less.refresh_token ?? '', { scope: 'openid diagnostic:read' })

    expect(less.scope).toBe('openid governance:read')
    await expect(more).rejects.toEqual(refused('invalid_scope'))
  })

  test('it ends after the days that the tenant allows, also while its item exists', async () => {
    const token = await granted()

    local.clock.moveTo(local.clock.now() + 604_800_000)

    await expect(client.refreshTokenGrant(config, token)).rejects.toEqual(refused('invalid_grant'))
  })
})
