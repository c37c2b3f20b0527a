import type { Examples } from '../../shared/base/wire/example.ts'
import type { domains } from './routes.ts'

export const examples: Examples<typeof domains> = {
  request: { body: { domain: 'acme.example' } },
  confirm: { body: { domain: 'acme.example' } },
}
