// Which routes need no credential: because they give one, ask for one, or tell what everybody may know.
import { expect, test } from 'vitest'
import { routes } from '../../support/any-route.ts'

const OPEN = new RegExp(
  [
    'GET /(api/health(/live|/ready)?|openapi\\.json|docs.*|\\.well-known/.+)?',
    'POST (/api/v1)?/auth/(login|refresh)',
    'POST /api/v1/auth/(passkey(/options)?|register|password/(forgot|reset)|resend-verification|mfa/verify|sso/token)',
    'GET /api/v1/auth/verify-email',
    '(GET|POST) /auth/(password|forgot)',
    'POST /auth/verify',
    '(GET|POST) /approvals/{tenant_id}/{id}',
    'GET /console/connected',
    '(GET|POST) /auth/sso/.+',
    '(GET|POST|PUT|DELETE|OPTIONS) /oauth/.+',
  ]
    .map((each) => `^${each}$`)
    .join('|'),
)

test('the public routes are those listed here, and no others', () => {
  const open = routes.filter(({ access }) => access === 'public').map(({ method, path }) => `${method} ${path}`)

  for (const route of open) expect(route).toMatch(OPEN)
})
