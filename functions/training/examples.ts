import type { Examples } from '../../shared/base/wire/example.ts'
import type { training } from './routes.ts'

export const examples: Examples<typeof training> = {}
