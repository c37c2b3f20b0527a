import type { Examples } from '../../shared/base/wire/example.ts'
import type { allowlist } from './routes.ts'

export const examples: Examples<typeof allowlist> = {
  create: { body: { cidr: '127.0.0.1', description: 'Office' } },
}
