import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { auth } from '../../../functions/auth/routes.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

describe('GET /.well-known/jwks.json', () => {
  test('200: anybody can verify a session token with it', async () => {
    const { body, headers } = await local.call(auth.jwks)
    const { access_token, user_id } = await signIn(local, (await local.tenant()).owner)
    const currentDate = new Date(local.clock.now())
    const { payload } = await jwtVerify(access_token, createLocalJWKSet(body), { currentDate })

    expect(payload.sub).toBe(user_id)
    expect(headers['cache-control']).toBe('public, max-age=3600')
  })

  test('holds public halves only, of the pool and of OAuth', async () => {
    const { body } = await local.call(auth.jwks)

    expect(body.keys.length).toBeGreaterThanOrEqual(1)
    for (const key of body.keys) {
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
      expect(key).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' })
    }
  })
})

describe('GET /.well-known/oauth-protected-resource', () => {
  test('200: names this API and who gives tokens for it', async () => {
    expect(await local.call(auth.protectedResource)).toMatchObject({
      status: 200,
      body: {
        resource: local.apiUrl,
        authorization_servers: [local.appUrl],
        scopes_supported: ['diagnostic:read', 'governance:read', 'evidence:read', 'agent:execute'],
        bearer_methods_supported: ['header'],
      },
    })
  })

  test('is where a refusal points to', async () => {
    const { headers } = await local.call(auth.me)

    expect(headers['x-amzn-remapped-www-authenticate']).toContain(
      `resource_metadata="${local.apiUrl}${auth.protectedResource.path}"`,
    )
  })
})
