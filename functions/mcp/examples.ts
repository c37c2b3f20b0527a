import type { Examples } from '../../shared/base/wire/example.ts'
import type { mcp } from './routes.ts'

export const examples: Examples<typeof mcp> = {
  call: {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'mailer_preview_mail', arguments: { to: 'ann' } },
    },
  },
}
