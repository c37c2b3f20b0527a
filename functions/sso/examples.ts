import type { Examples } from '../../shared/base/wire/example.ts'
import type { sso } from './routes.ts'

export const examples: Examples<typeof sso> = {
  configure: {
    body: {
      protocol: 'oidc',
      domains: ['acme.example'],
      group_attribute: 'groups',
      role_mappings: [{ group: 'Refund approvers', role_ids: ['approver'] }],
      oidc: { issuer: 'https://login.acme.example', client_id: 'countersign', client_secret: 'secret' },
    },
  },
  test: { body: {} },
  samlCallback: { body: { SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlLz4=' } },
  token: { body: { code: 'the-code-of-the-sign-in' } },
}
