import type { Examples } from '../../shared/base/wire/example.ts'
import type { kms } from './routes.ts'

export const examples: Examples<typeof kms> = {
  configure: { body: { key_arn: null } },
}
