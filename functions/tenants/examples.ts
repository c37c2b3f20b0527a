import type { Examples } from '../../shared/base/wire/example.ts'
import type { tenants } from './routes.ts'

export const examples: Examples<typeof tenants> = {
  create: { body: { name: 'Acme Research' } },
  update: { body: { name: 'Acme' } },
  close: { body: { confirm: 'Acme Research' } },
}
